"""What a mode consists of, from the contact states of a scene: sources of rows, what slides, and what watches it."""

from __future__ import annotations

from latchwork.hybrid.contacts.guard_values import BEGINS, BEHIND, CLOSED, GOES_ON, IN_PLANE, LEAVING, NO_SLIP
from latchwork.hybrid.contacts.guard_values import OPEN as UNTOUCHED
from latchwork.hybrid.contacts.scene import OPEN, SLIDE, STICK, ContactRecord, ContactStateRecord, Scene
from latchwork.hybrid.mode_layout.mode_programs import (
    CLOSED_FORMS,
    CONSTRAINTS,
    OPEN_FORMS,
    ModePrograms,
    SourcePrograms,
)
from latchwork.program.kernel import i64, kernel

ROOM = 8  # numbers that a program of one contact gives, at least


@kernel
def slides_with_friction(state: ContactStateRecord, contact: ContactRecord) -> i64:
    """1 where a contact slides, and friction acts on it."""
    return 1 if state.kind == SLIDE and state.slip_size > 0 and contact.tangents > 0 else 0


@kernel
def has_row(state: ContactStateRecord, contact: ContactRecord) -> i64:
    """1 where a contact holds rows: it sticks, or slides and its gap is held by no coordinates."""
    return 1 if state.kind == STICK or (state.kind == SLIDE and contact.without_normal == 0) else 0


@kernel
def add_source(programs: ModePrograms, own: SourcePrograms, place: i64, held: i64) -> None:
    """One more source of rows, of which so many are held."""
    s = programs.sources
    programs.source[s], programs.held[s] = place, held
    programs.source_slots += own.place_slots + own.bias_slots
    programs.rows += held
    programs.sources += 1


@kernel
def list_rows(programs: ModePrograms, scene: Scene) -> i64:
    """The sources of the rows of a mode, in order, and what slides; 0 where one of them is not made."""
    programs.sources, programs.rows, programs.source_slots, programs.sliders, programs.slider_slots = 0, 0, 0, 0, 0
    closed = 0
    for k in range(scene.watched):
        i = scene.watch[k]
        closed += has_row(scene.state[i], scene.contact[i])
    if programs.holds == 1 or closed == 0:
        add_source(programs, programs.constraints, CONSTRAINTS, programs.constraints.given)
    for enforced in range(2):  # contacts that hold rows; then those that only give their tangents
        for k in range(scene.watched):
            i = scene.watch[k]
            state, contact, own = scene.state[i], scene.contact[i], programs.contact[i].rows
            holds = has_row(state, contact)
            if (enforced == 0 and holds == 1) or (
                enforced == 1 and contact.without_normal == 1 and slides_with_friction(state, contact) == 1
            ):
                if own.known == 0 or own.given == 0:
                    return 0
                held = own.given if state.kind == STICK or contact.tangents == 0 else 1
                programs.source_of[i], programs.row_of[i] = programs.sources, programs.rows
                add_source(programs, own, i, held if holds == 1 else 0)
    for k in range(scene.watched):
        i = scene.watch[k]
        if slides_with_friction(scene.state[i], scene.contact[i]) == 1:
            friction = programs.friction[law_at(scene, i)]
            if friction.known == 0:
                return 0
            programs.slides[programs.sliders], programs.slider_of[i] = i, programs.sliders
            programs.slider_slots += friction.slots
            programs.sliders += 1
    return 1


@kernel
def law_at(scene: Scene, i: i64) -> i64:
    """The law of a contact point in its zones."""
    contact = scene.contact[i]
    place = contact.first_law
    for k in range(contact.zones):
        place += scene.zone[contact.zone[k]] * contact.stride[k]
    return place


@kernel
def place_of_form(contacts: i64, i: i64, law: i64, form: i64, sticks: i64, slides: i64) -> i64:
    """Where the programs of a contact point in a form stand (`guards.Form`): open, leaving or from behind, behind these
    of all points closed under each law, as it sticks, or slides in some way."""
    if form != CLOSED:
        return OPEN_FORMS * i + form
    return OPEN_FORMS * contacts + CLOSED_FORMS * law + (0 if sticks == 1 else 1 + slides)


@kernel
def form_at(programs: ModePrograms, scene: Scene, i: i64) -> i64:
    """How a contact point is watched, as `guards.form_of`: where its programs stand."""
    state, contact, contacts = scene.state[i], scene.contact[i], programs.contacts
    if state.kind == OPEN:
        form = LEAVING if state.leaving > 0 else BEHIND if state.behind == 1 else UNTOUCHED
        return place_of_form(contacts, i, 0, form, 0, NO_SLIP)
    slides = NO_SLIP
    if state.kind != STICK and state.slip_size > 0 and state.impending_size == 0 and contact.tangents > 0:
        slides = IN_PLANE
        if contact.tangents > 1:
            slides = BEGINS if state.slip[state.slip_size - 1] > 0.0 else GOES_ON
    return place_of_form(contacts, i, law_at(scene, i), CLOSED, 1 if state.kind == STICK else 0, slides)


@kernel
def list_guards(programs: ModePrograms, scene: Scene, user: i64) -> i64:
    """How many guards watch a mode, and what they need; 0 where some are not made. ``user``: where a user's are."""
    programs.guards, programs.guard_slots, programs.widest, programs.by_acceleration = 0, 0, ROOM, 0
    for k in range(scene.watched):
        own = programs.watch[form_at(programs, scene, scene.watch[k])]
        if own.guards == 0:
            return 0
        programs.guards += own.guards
        programs.guard_slots += own.slots
        programs.by_acceleration = programs.by_acceleration | own.by_acceleration
        programs.widest = own.widest if own.widest > programs.widest else programs.widest
    for z in range(programs.zones):
        zone = programs.zone[z]
        index = scene.zone[zone.place]
        programs.guards += (1 if index > 0 else 0) + (1 if index < zone.bounds else 0)
        programs.guard_slots += zone.slots
        programs.by_acceleration = programs.by_acceleration | zone.by_acceleration
        programs.widest = zone.widest if zone.widest > programs.widest else programs.widest
    if programs.user_guards > 0:
        given = programs.user[user]
        if given.known == 0:
            return 0
        programs.guards += programs.user_guards
        programs.guard_slots += given.slots
        programs.widest = given.widest if given.widest > programs.widest else programs.widest
    return 1
