/* A tiny search with its tree traced: king and pawn against king, where moves are few. It plays one side's king and pawn
 * moves without knowing all of chess; what counts is where the six calls of espalier_trace.h stand.
 *
 *     cc -o trace_example contrib/trace_example.c && ./trace_example tree.jsonl
 *     espalier tree import tree.jsonl && espalier tree view tree.tree --open                                        */
#define ESPALIER_TRACE_IMPLEMENTATION
#include "espalier_trace.h"
#include <stdlib.h>

#define INFINITE 32001

/* White: king and a pawn that is not on its last two ranks; Black: king. Squares 0 to 63, a1 first. */
typedef struct {
    int white, pawn, black, blacks_turn;
} Board;

static int apart(int a, int b)
{
    int dx = abs((a & 7) - (b & 7)), dy = abs((a >> 3) - (b >> 3));
    return dx > dy ? dx : dy;
}

/* The pawn attacks the two squares in front of it, to the left and to the right. */
static int attacks(const Board *board, int square)
{
    return square >> 3 == (board->pawn >> 3) + 1 && abs((square & 7) - (board->pawn & 7)) == 1;
}

/* The king of the side to move may go there. The pawn is never taken: taking it would end this example. */
static int may_go(const Board *board, int to)
{
    int rival = board->blacks_turn ? board->white : board->black;
    return apart(to, rival) > 1 && to != board->pawn && !(board->blacks_turn && attacks(board, to));
}

static int in_check(const Board *board)
{
    return board->blacks_turn && attacks(board, board->black);
}

static void name(int from, int to, char *text)
{
    sprintf(text, "%c%d%c%d", 'a' + (from & 7), (from >> 3) + 1, 'a' + (to & 7), (to >> 3) + 1);
}

/* The pawn's advance, for White, and how near the kings are to it. */
static int evaluate(const Board *board)
{
    int value = 100 + 20 * (board->pawn >> 3) + 5 * (apart(board->black, board->pawn) - apart(board->white, board->pawn));
    return board->blacks_turn ? -value : value;
}

static int search(const Board *board, const char *move, int alpha, int beta, int depth)
{
    int king = board->blacks_turn ? board->black : board->white;
    int best = -INFINITE, moves = 0, dx, dy;
    et_enter(move, alpha, beta, depth, NULL);
    if (depth == 0) {
        best = evaluate(board);
        et_eval(best);
        et_leave(best, "horizon");
        return best;
    }
    /* A reason that Espalier does not know: it gets a colour of its own. */
    if (depth == 1 && !in_check(board) && evaluate(board) >= beta + 5) {
        et_leave(evaluate(board), "far above beta");
        return evaluate(board);
    }
    for (dx = -1; dx <= 1; dx++) {
        for (dy = -1; dy <= 1; dy++) {
            int x = (king & 7) + dx, y = (king >> 3) + dy, to = 8 * y + x, value;
            Board next = *board;
            char text[8];
            if ((!dx && !dy) || x < 0 || x > 7 || y < 0 || y > 7 || !may_go(board, to))
                continue;
            *(board->blacks_turn ? &next.black : &next.white) = to;
            next.blacks_turn = !board->blacks_turn;
            name(king, to, text);
            value = -search(&next, text, -beta, -(alpha > best ? alpha : best), depth - 1);
            moves++;
            if (value > best)
                best = value;
            if (best >= beta) {
                et_leave(best, "cut-off");
                return best;
            }
        }
    }
    if (!moves)
        best = evaluate(board);
    et_leave(best, moves ? "all-moves" : "no king move");
    return best;
}

int main(int argc, char **argv)
{
    const char *fen = "8/8/3k4/8/8/3K4/4P3/8 w - - 0 1";
    Board board = {19, 12, 43, 0};
    int depth;
    if (!et_open(argc > 1 ? argv[1] : "tree.jsonl", "trace example", fen))
        return 1;
    for (depth = 1; depth <= 5; depth++) {
        et_iteration(depth);
        printf("depth %d: %d\n", depth, search(&board, NULL, -INFINITE, INFINITE, depth));
    }
    return et_close() ? 0 : 1;
}
