/* Writes the search tree of any C or C++ engine as a stream of events that `espalier tree import` reads.
 *
 *     et_open("tree.jsonl", "MyEngine 1.0", fen);      once, before the search; fen may be NULL for the start position
 *     et_iteration(depth);                             at the start of each iteration
 *     et_enter(move, alpha, beta, depth, purpose);     at the start of each node
 *     et_eval(value);                                  when its static value is known, if it is
 *     et_leave(value, reason);                         at every return from the node
 *     et_close();                                      once, after the search
 *
 * `move` is in UCI notation ("e2e4", "e7e8q"), NULL at the root. Values and windows are in centipawns for the side to
 * move at the node; a mate is 32000 less its distance from the root in plies, infinite is 32001. `depth` is in plies.
 * `purpose` is NULL for a move and for the root, else a name of docs/TREE.md: "null-move", "singular-probe",
 * "re-search-depth" ... `reason` says why the search of the node ended: a name of docs/TREE.md ("cut-off", "hash",
 * "null-move-cut", "all-moves", "stand-pat" ...) or any other text, which gets a colour and a name of its own.
 *
 * Include it in one file with ESPALIER_TRACE_IMPLEMENTATION defined, in others without. One search at a time; not for
 * several threads. Before et_open and after et_close all calls do nothing. Part of Espalier, GPL-3.0-or-later. */
#ifndef ESPALIER_TRACE_H
#define ESPALIER_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

int et_open(const char *path, const char *program, const char *fen); /* 0 if the file cannot be written */
void et_iteration(int depth);
void et_enter(const char *move, int alpha, int beta, double depth, const char *purpose);
void et_eval(int value);
void et_leave(int value, const char *reason);
int et_close(void); /* 0 if something could not be written */

#ifdef __cplusplus
}
#endif
#endif /* ESPALIER_TRACE_H */

#ifdef ESPALIER_TRACE_IMPLEMENTATION
#undef ESPALIER_TRACE_IMPLEMENTATION
#include <stdio.h>

static FILE *et_file;

/* A text of JSON: quotation marks, backslashes and control characters are escaped. */
static void et_text(const char *name, const char *text)
{
    fprintf(et_file, ",\"%s\":\"", name);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\')
            fprintf(et_file, "\\%c", letter);
        else if (letter < 32)
            fprintf(et_file, "\\u%04x", letter);
        else
            fputc(letter, et_file);
    }
    fputc('"', et_file);
}

int et_open(const char *path, const char *program, const char *fen)
{
    et_file = fopen(path, "w");
    if (!et_file)
        return 0;
    fputs("{\"event\":\"start\"", et_file);
    if (program)
        et_text("program", program);
    if (fen)
        et_text("fen", fen);
    fputs("}\n", et_file);
    return 1;
}

void et_iteration(int depth)
{
    if (et_file)
        fprintf(et_file, "{\"event\":\"iteration\",\"depth\":%d}\n", depth);
}

void et_enter(const char *move, int alpha, int beta, double depth, const char *purpose)
{
    long hundredths = (long)(depth * 100 + (depth < 0 ? -0.5 : 0.5));
    if (!et_file)
        return;
    /* Written by hand: some locales print a comma in numbers. */
    fprintf(et_file, "{\"event\":\"enter\",\"alpha\":%d,\"beta\":%d,\"depth\":%s%ld.%02ld", alpha, beta,
            hundredths < 0 ? "-" : "", (hundredths < 0 ? -hundredths : hundredths) / 100,
            (hundredths < 0 ? -hundredths : hundredths) % 100);
    if (move)
        et_text("move", move);
    if (purpose)
        et_text("purpose", purpose);
    fputs("}\n", et_file);
}

void et_eval(int value)
{
    if (et_file)
        fprintf(et_file, "{\"event\":\"eval\",\"value\":%d}\n", value);
}

void et_leave(int value, const char *reason)
{
    if (!et_file)
        return;
    fprintf(et_file, "{\"event\":\"leave\",\"value\":%d", value);
    et_text("reason", reason);
    fputs("}\n", et_file);
}

int et_close(void)
{
    int good = et_file && fputs("{\"event\":\"end\"}\n", et_file) >= 0;
    if (et_file && fclose(et_file) != 0)
        good = 0;
    et_file = NULL;
    return good;
}
#endif /* ESPALIER_TRACE_IMPLEMENTATION */
