/* '@title@' as hardware in the loop: written by Latchwork.

   The exported equations stand for a device. Its handle goes to a running latchwork by packets on a loopback port (UDP,
   realtime/devices/protocol.py), what the hand feels comes back and acts on the device, and a step of Runge and Kutta's
   goes from one packet to the next. A driver of real hardware keeps everything but `step`: it reads encoders and
   writes motor currents there.

       make hil && ./hil PORT SECONDS [BODY] [lockstep]

   With `lockstep` every packet waits for its answer, and no clock is used: the same run, the same numbers. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "@name@.h"
@law_include@
#define STEP @step@
#define NX (@NAME@_NQ + @NAME@_NU)
#define HAND_SIZE 192
#define FORCE_SIZE 184
#define PATIENCE 10000 /* ms that a packet in lockstep waits for its answer */
#define STALE 0.1     /* s without a force packet, after which no force acts */

static const int force_input[3] = {@force@}; /* the inputs that the felt force drives; -1: none */
static const double arm[3] = {@arm@};        /* where on the body the handle is taken */
static const double *const p = @p@;

typedef struct {
    double x[NX]; /* q, u */
    double r[@NAME@_NR];
    double t, heard;
    uint32_t sequence;
    long received, malformed, missed;
} device;

/* --- bytes: little-endian on any machine ---------------------------------------------------------------------- */

static unsigned char *put(unsigned char *at, uint64_t value, int bytes)
{
    int i;
    for (i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

static unsigned char *put_f64(unsigned char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put(at, bits, 8);
}

static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    int i;
    for (i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static double get_f64(const unsigned char *at)
{
    const uint64_t bits = get(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* --- the device ----------------------------------------------------------------------------------------------- */

static void rate(double t, const double x[], const double r[], double out[])
{
    @name@_qdot(t, x, x + @NAME@_NQ, r, p, out);
    @name@_udot(t, x, x + @NAME@_NQ, r, p, out + @NAME@_NQ);
}

/* The law of the device's own motors, once a step: 0, or 1 where it has no command. */
static int control(device *d)
{
@law_command@
}

static void step(device *d)
{
    const double h = STEP;
    double k[4][NX], y[NX];
    int i, s;
    for (s = 0; s < 4; s++) {
        const double part = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
        for (i = 0; i < NX; i++)
            y[i] = s == 0 ? d->x[i] : d->x[i] + part * k[s - 1][i];
        rate(d->t + part, y, d->r, k[s]);
    }
    for (i = 0; i < NX; i++)
        d->x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

static void feel(device *d, const double force[3])
{
    int i;
    for (i = 0; i < 3; i++)
        if (force_input[i] >= 0)
            d->r[force_input[i]] = force[i];
}

/* --- packets -------------------------------------------------------------------------------------------------- */

static int send_hand(int port, device *d, int body)
{
    unsigned char data[HAND_SIZE], *at = data;
    double place[3], velocity[3];
    int i;
    @name@_@place@(d->t, d->x, d->x + @NAME@_NQ, d->r, p, place);
    @name@_@velocity@(d->t, d->x, d->x + @NAME@_NQ, d->r, p, velocity);
    memcpy(at, "LWHD", 4);
    at = put(at + 4, 1, 2);
    at = put(at, body >= 0 ? 1u | 4u : 0u, 2); /* holds, velocity */
    at = put(at, ++d->sequence, 4);
    at = put(at, (uint32_t)body, 4);
    for (i = 0; i < 3; i++)
        at = put_f64(at, arm[i]);
    for (i = 0; i < 3; i++)
        at = put_f64(at, place[i]);
    for (i = 0; i < 3; i++)
        at = put_f64(at, velocity[i]);
    at = put_f64(at, 1.0); /* no turn, no spin, no measured force */
    while (at < data + HAND_SIZE)
        at = put_f64(at, 0.0);
    return send(port, data, sizeof data, 0) == (ssize_t)sizeof data;
}

/* One packet that waits: 1 and the force where it is good, 0 where there is none, -1 where it is malformed. */
static int receive_force(int port, uint32_t *sequence, double force[3])
{
    unsigned char data[FORCE_SIZE + 1];
    const ssize_t size = recv(port, data, sizeof data, MSG_DONTWAIT);
    int i;
    if (size < 0)
        return 0;
    if (size != FORCE_SIZE || memcmp(data, "LWFC", 4) != 0 || get(data + 4, 2) != 1)
        return -1;
    *sequence = (uint32_t)get(data + 8, 4);
    for (i = 0; i < 3; i++) {
        force[i] = get_f64(data + 32 + 8 * i);
        if (!isfinite(force[i]))
            return -1;
    }
    return 1;
}

/* Take what waits; in lockstep until the answer to the last packet is among it. */
static void listen_to(int port, device *d, int lockstep)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    struct pollfd waiting;
    uint32_t sequence = 0;
    double force[3];
    int found, answered = 0;
    waiting.fd = port;
    waiting.events = POLLIN;
    do {
        if (lockstep && poll(&waiting, 1, PATIENCE) <= 0) {
            d->missed++;
            break;
        }
        while ((found = receive_force(port, &sequence, force)) != 0) {
            if (found < 0) {
                d->malformed++;
                continue;
            }
            d->received++;
            d->heard = d->t;
            feel(d, force);
            answered = answered || sequence == d->sequence;
        }
    } while (lockstep && !answered);
    if (d->t - d->heard > STALE)
        feel(d, none);
}

/* --- the run -------------------------------------------------------------------------------------------------- */

static void wait_until(struct timespec *next)
{
    next->tv_nsec += (long)(STEP * 1e9);
    while (next->tv_nsec >= 1000000000L) {
        next->tv_nsec -= 1000000000L;
        next->tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR)
        ;
}

static int open_port(int number)
{
    struct sockaddr_in address;
    const int port = socket(AF_INET, SOCK_DGRAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)number);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (port < 0 || connect(port, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("hil: the port cannot be reached");
        exit(1);
    }
    return port;
}

int main(int argc, char **argv)
{
    static const double x0[NX] = {@x@};
    static const double r0[@NAME@_NR] = {@r@};
    const int lockstep = argc > 4 && strcmp(argv[4], "lockstep") == 0;
    const int body = argc > 3 ? atoi(argv[3]) : @body@;
    struct timespec next;
    device d;
    long k, ticks;
    int i, port;
    if (argc < 3) {
        fprintf(stderr, "usage: %s PORT SECONDS [BODY] [lockstep]\n", argv[0]);
        return 2;
    }
    memset(&d, 0, sizeof d);
    memcpy(d.x, x0, sizeof x0);
    memcpy(d.r, r0, sizeof r0);
    port = open_port(atoi(argv[1]));
    ticks = lround(atof(argv[2]) / STEP);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (k = 0; k < ticks; k++) {
        d.t = (double)k * STEP;
        send_hand(port, &d, body);
        listen_to(port, &d, lockstep);
        if (control(&d) != 0) {
            fprintf(stderr, "hil: the law has no command at t = %.9g\n", d.t);
            break;
        }
        step(&d);
        if (!lockstep)
            wait_until(&next);
    }
    send_hand(port, &d, -1);
    close(port);
    printf("x =");
    for (i = 0; i < NX; i++)
        printf(" %.17g", d.x[i]);
    printf("\nticks = %ld, received = %ld, malformed = %ld, missed = %ld\n", ticks, d.received, d.malformed, d.missed);
    return 0;
}
