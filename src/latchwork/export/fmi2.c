/* The functions of FMI 2.0 for co-simulation, on a run that Latchwork wrote: see NAME.h.

   Value references of Real: coordinates, speeds, inputs, parameters, one behind the other; of Integer: contacts, then
   the number of their changes. */
#include <stdlib.h>
#include <string.h>

#include "@NAME@.h"

#if defined _WIN32
#define FMI_EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define FMI_EXPORT __attribute__((visibility("default")))
#else
#define FMI_EXPORT
#endif

typedef void *Component;
typedef unsigned int Reference;
typedef const char *String;
typedef int Boolean;
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef struct {
    void (*log)(void *environment, String instance, Status status, String category, String message, ...);
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    void (*finished)(void *environment, Status status);
    void *environment;
} Callbacks;

typedef struct {
    @NAME@ *run;
    const Callbacks *callbacks;
    char *name;
} Instance;

enum { Q = @NAME_UPPER@_NQ, U = Q + @NAME_UPPER@_NU, R = U + @NAME_UPPER@_NR, P = R + @NAME_UPPER@_NP };

static Status told(const Instance *instance, Status status, String message)
{
    if (instance->callbacks != NULL && instance->callbacks->log != NULL)
        instance->callbacks->log(instance->callbacks->environment, instance->name, status, "logStatusError", "%s",
                                 message);
    return status;
}

FMI_EXPORT String fmi2GetTypesPlatform(void)
{
    return "default";
}

FMI_EXPORT String fmi2GetVersion(void)
{
    return "2.0";
}

FMI_EXPORT Status fmi2SetDebugLogging(Component c, Boolean on, size_t count, const String categories[])
{
    (void)c, (void)on, (void)count, (void)categories;
    return OK;
}

FMI_EXPORT Component fmi2Instantiate(String name, int kind, String guid, String resources, const Callbacks *callbacks,
                                     Boolean visible, Boolean logging)
{
    Instance *made = malloc(sizeof *made);
    void *memory = malloc(@NAME@_size());
    char *kept = malloc(strlen(name) + 1);
    (void)resources, (void)visible, (void)logging;
    if (made == NULL || memory == NULL || kept == NULL || kind != 1 || strcmp(guid, "@GUID@") != 0) {
        free(made);
        free(memory);
        free(kept);
        return NULL;
    }
    made->run = @NAME@_start(memory);
    made->callbacks = callbacks;
    made->name = strcpy(kept, name);
    return made;
}

FMI_EXPORT void fmi2FreeInstance(Component c)
{
    Instance *instance = c;
    if (instance == NULL)
        return;
    free(instance->run);
    free(instance->name);
    free(instance);
}

FMI_EXPORT Status fmi2SetupExperiment(Component c, Boolean bounded, double tolerance, double start, Boolean ends,
                                      double stop)
{
    (void)bounded, (void)tolerance, (void)ends, (void)stop;
    if (start != @NAME@_time(((Instance *)c)->run))
        return told(c, ERROR, "this run begins at t = @START@: start the experiment there.");
    return OK;
}

FMI_EXPORT Status fmi2EnterInitializationMode(Component c)
{
    (void)c;
    return OK;
}

FMI_EXPORT Status fmi2ExitInitializationMode(Component c)
{
    (void)c;
    return OK;
}

FMI_EXPORT Status fmi2Terminate(Component c)
{
    (void)c;
    return OK;
}

FMI_EXPORT Status fmi2Reset(Component c)
{
    Instance *instance = c;
    instance->run = @NAME@_start(instance->run);
    return OK;
}

FMI_EXPORT Status fmi2GetReal(Component c, const Reference reference[], size_t count, double value[])
{
    @NAME@ *run = ((Instance *)c)->run;
    size_t i;
    for (i = 0; i < count; i++) {
        const int k = (int)reference[i];
        if (k < Q)
            value[i] = @NAME@_q(run)[k];
        else if (k < U)
            value[i] = @NAME@_u(run)[k - Q];
        else if (k < R)
            value[i] = @NAME@_r(run)[k - U];
        else if (k < P)
            value[i] = @NAME@_p(run)[k - R];
        else
            return told(c, ERROR, "there is no Real of this value reference.");
    }
    return OK;
}

FMI_EXPORT Status fmi2SetReal(Component c, const Reference reference[], size_t count, const double value[])
{
    @NAME@ *run = ((Instance *)c)->run;
    size_t i;
    for (i = 0; i < count; i++) {
        const int k = (int)reference[i];
        if (k >= U && k < R)
            @NAME@_r(run)[k - U] = value[i];
        else if (k >= R && k < P)
            @NAME@_p(run)[k - R] = value[i];
        else
            return told(c, ERROR, "only inputs and parameters can be set.");
    }
    return OK;
}

FMI_EXPORT Status fmi2GetInteger(Component c, const Reference reference[], size_t count, int value[])
{
    const @NAME@ *run = ((Instance *)c)->run;
    size_t i;
    for (i = 0; i < count; i++) {
        const int k = (int)reference[i];
        if (k < @NAME_UPPER@_NCONTACT)
            value[i] = @NAME@_contact(run, k);
        else if (k == @NAME_UPPER@_NCONTACT)
            value[i] = (int)@NAME@_changes(run);
        else
            return told(c, ERROR, "there is no Integer of this value reference.");
    }
    return OK;
}

FMI_EXPORT Status fmi2GetBoolean(Component c, const Reference reference[], size_t count, Boolean value[])
{
    (void)reference, (void)value;
    return count == 0 ? OK : told(c, ERROR, "there is no Boolean.");
}

FMI_EXPORT Status fmi2GetString(Component c, const Reference reference[], size_t count, String value[])
{
    (void)reference, (void)value;
    return count == 0 ? OK : told(c, ERROR, "there is no String.");
}

FMI_EXPORT Status fmi2SetInteger(Component c, const Reference reference[], size_t count, const int value[])
{
    (void)reference, (void)value;
    return count == 0 ? OK : told(c, ERROR, "no Integer can be set.");
}

FMI_EXPORT Status fmi2SetBoolean(Component c, const Reference reference[], size_t count, const Boolean value[])
{
    (void)reference, (void)value;
    return count == 0 ? OK : told(c, ERROR, "there is no Boolean.");
}

FMI_EXPORT Status fmi2SetString(Component c, const Reference reference[], size_t count, const String value[])
{
    (void)reference, (void)value;
    return count == 0 ? OK : told(c, ERROR, "there is no String.");
}

/* A state is a copy of all memory of the run, for the instance that it was taken from. */
FMI_EXPORT Status fmi2GetFMUstate(Component c, void **state)
{
    if (*state == NULL)
        *state = malloc(@NAME@_size());
    if (*state == NULL)
        return told(c, ERROR, "there is no memory for a state.");
    memcpy(*state, ((Instance *)c)->run, @NAME@_size());
    return OK;
}

FMI_EXPORT Status fmi2SetFMUstate(Component c, void *state)
{
    memcpy(((Instance *)c)->run, state, @NAME@_size());
    return OK;
}

FMI_EXPORT Status fmi2FreeFMUstate(Component c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}

FMI_EXPORT Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *size)
{
    (void)state, (void)size;
    return told(c, ERROR, "states cannot be written down.");
}

FMI_EXPORT Status fmi2SerializeFMUstate(Component c, void *state, char bytes[], size_t size)
{
    (void)state, (void)bytes, (void)size;
    return told(c, ERROR, "states cannot be written down.");
}

FMI_EXPORT Status fmi2DeSerializeFMUstate(Component c, const char bytes[], size_t size, void **state)
{
    (void)bytes, (void)size, (void)state;
    return told(c, ERROR, "states cannot be written down.");
}

FMI_EXPORT Status fmi2GetDirectionalDerivative(Component c, const Reference unknown[], size_t unknowns,
                                               const Reference known[], size_t knowns, const double change[],
                                               double found[])
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)change, (void)found;
    return told(c, ERROR, "directional derivatives are not provided.");
}

FMI_EXPORT Status fmi2SetRealInputDerivatives(Component c, const Reference reference[], size_t count, const int order[],
                                              const double value[])
{
    (void)reference, (void)count, (void)order, (void)value;
    return told(c, ERROR, "inputs are held over a step.");
}

FMI_EXPORT Status fmi2GetRealOutputDerivatives(Component c, const Reference reference[], size_t count,
                                               const int order[], double value[])
{
    (void)reference, (void)count, (void)order, (void)value;
    return told(c, ERROR, "derivatives of outputs are not provided.");
}

FMI_EXPORT Status fmi2DoStep(Component c, double t, double step, Boolean kept)
{
    const int status = @NAME@_advance(((Instance *)c)->run, t + step);
    (void)kept;
    return status == 0 ? OK : told(c, ERROR, @NAME@_reason(status));
}

FMI_EXPORT Status fmi2CancelStep(Component c)
{
    return told(c, ERROR, "steps are made at once.");
}

FMI_EXPORT Status fmi2GetStatus(Component c, int kind, Status *value)
{
    (void)c, (void)kind;
    *value = OK;
    return DISCARD;
}

FMI_EXPORT Status fmi2GetRealStatus(Component c, int kind, double *value)
{
    (void)kind;
    *value = @NAME@_time(((Instance *)c)->run);
    return OK;
}

FMI_EXPORT Status fmi2GetIntegerStatus(Component c, int kind, int *value)
{
    (void)c, (void)kind, (void)value;
    return DISCARD;
}

FMI_EXPORT Status fmi2GetBooleanStatus(Component c, int kind, Boolean *value)
{
    (void)c, (void)kind;
    *value = 0;
    return OK;
}

FMI_EXPORT Status fmi2GetStringStatus(Component c, int kind, String *value)
{
    (void)c, (void)kind, (void)value;
    return DISCARD;
}
