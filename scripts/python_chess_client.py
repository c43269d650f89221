"""Drives the engine through python-chess, a client nobody here wrote, and checks what it says."""

import sys
import time

import chess
import chess.engine

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@check
def options_are_understood(engine):
    assert engine.id["name"].startswith("Espalier"), engine.id
    for name, option in engine.options.items():
        if option.type == "spin":
            assert option.min <= option.default <= option.max, name
        if option.type == "combo":
            assert option.default in option.var, name
    engine.configure({"Hash": 32, "NullMove": False, "Algorithm": "MTD(f)"})
    engine.configure({"Hash": 16, "NullMove": True, "Algorithm": "PVS"})


@check
def a_game_is_played_to_its_end(engine):
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 300:
        result = engine.play(board, chess.engine.Limit(nodes=2000), game="self", info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves, (board.fen(), result.move)
        assert "score" in result.info and result.info["pv"][0] == result.move
        board.push(result.move)
    assert board.ply() > 20


@check
def lines_are_legal_and_in_order(engine):
    board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
    lines = engine.analyse(board, chess.engine.Limit(depth=8), multipv=4)
    assert [line["multipv"] for line in lines] == [1, 2, 3, 4]
    assert len({line["pv"][0] for line in lines}) == 4
    scores = [line["score"].relative.score(mate_score=100000) for line in lines]
    assert scores == sorted(scores, reverse=True), scores
    for line in lines:
        replay = board.copy()
        for move in line["pv"]:
            assert move in replay.legal_moves
            replay.push(move)


@check
def a_mate_is_announced(engine):
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1")
    info = engine.analyse(board, chess.engine.Limit(depth=6))
    assert info["score"].white() == chess.engine.Mate(1), info["score"]


@check
def an_infinite_analysis_stops_when_told(engine):
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 6:
                break
        before = time.monotonic()
    assert time.monotonic() - before < 1.0


@check
def the_clock_is_kept(engine):
    board = chess.Board()
    before = time.monotonic()
    limit = chess.engine.Limit(white_clock=2.0, black_clock=2.0, white_inc=0.02, black_inc=0.02)
    engine.play(board, limit)
    assert time.monotonic() - before < 1.5


@check
def pondering_works(engine):
    board = chess.Board()
    limit = chess.engine.Limit(white_clock=3.0, black_clock=3.0)
    for _ in range(6):
        result = engine.play(board, limit, ponder=True)
        board.push(result.move)
        reply = result.ponder if result.ponder else next(iter(board.legal_moves))
        board.push(reply)


@check
def chess960_castles(engine):
    board = chess.Board("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", chess960=True)
    info = engine.analyse(board, chess.engine.Limit(depth=5))
    assert info["pv"][0] in board.legal_moves
    castling = chess.Move.from_uci("e1g1")
    result = engine.play(board, chess.engine.Limit(depth=3), root_moves=[castling])
    assert result.move in board.legal_moves and board.is_castling(result.move), result.move


@check
def root_moves_are_respected(engine):
    board = chess.Board()
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    result = engine.play(board, chess.engine.Limit(depth=5), root_moves=wanted)
    assert result.move in wanted


@check
def expectations_add_up(engine):
    engine.configure({"UCI_ShowWDL": True})
    info = engine.analyse(chess.Board(), chess.engine.Limit(depth=6))
    assert sum(info["wdl"].white()) == 1000, info
    engine.configure({"UCI_ShowWDL": False})


def main():
    for function in CHECKS:
        engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1])
        function(engine)
        engine.quit()
        print("ok", function.__name__.replace("_", " "))
    print(f"{len(CHECKS)} passed, 0 failed")


if __name__ == "__main__":
    main()
