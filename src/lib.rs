//! Espalier: a UCI chess engine and a laboratory for selective game-tree search.
//!
//! # A tour
//!
//! The units come first: [`Score`] (centipawns and mates), [`Depth`] (hundredths of a ply), [`Window`] and
//! [`Bound`]. A [`Position`] is the rules of `shakmaty` plus the keys a search needs; it is copied and
//! played, never taken back. An [`Engine`] owns a game, a hash table and [`Options`], and searches:
//!
//! ```
//! use espalier::{Engine, Game, Limits, Position};
//!
//! let mut engine = Engine::default();
//! engine.set_option("NullMove", "false").unwrap();
//! let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1", false).unwrap();
//! engine.set_game(Game::new(position));
//! let outcome = engine.search(Limits::depth(4));
//! assert_eq!(outcome.score().unwrap().mate_in(), Some(1));
//! ```
//!
//! # Analysing a position
//!
//! ```
//! use espalier::board::san::san_list;
//! use espalier::{Engine, Game, Limits, Position};
//!
//! let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
//! let position = Position::from_fen(fen, false).unwrap();
//! let mut engine = Engine::default();
//! engine.set_option("MultiPV", "2").unwrap();
//! engine.set_game(Game::new(position.clone()));
//! let outcome = engine.search(Limits::nodes(5_000));
//! let best = &outcome.lines[0];
//! assert_eq!((san_list(&position, &best.moves).as_str(), outcome.lines.len()), ("Qxf7#", 2));
//! ```
//!
//! # Running a suite
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use espalier::epd::suite::Suite;
//! use espalier::lab::{runner::SuiteRun, summary::SuiteSummary};
//! use espalier::{Limits, Options};
//!
//! let suite = Suite::load("mates", false).unwrap().thinned(6);
//! let run = SuiteRun::new(Options::default(), Limits::nodes(20_000), 2);
//! let answers = run.run(&suite.tasks, &AtomicBool::new(false), |_| {}).unwrap();
//! let summary = SuiteSummary::of(&suite.tasks, &answers);
//! assert!(summary.solved >= 3, "{} of {}", summary.solved, summary.questions);
//! ```
//!
//! # Watching a search
//!
//! An observer receives the events it asks for; this one counts nodes as the search leaves them.
//!
//! ```
//! use espalier::search::event::{Event, Interest};
//! use espalier::search::observer::Observer;
//! use espalier::{Engine, Limits, Search};
//!
//! #[derive(Default)]
//! struct Left(u64);
//!
//! impl Observer for Left {
//!     const WANTS: Interest = Interest::TREE;
//!
//!     fn on(&mut self, event: &Event) {
//!         self.0 += u64::from(matches!(event, Event::Left { .. }));
//!     }
//! }
//!
//! let search = Search::new(Limits::depth(5)).observer(Left::default());
//! let (outcome, watched) = Engine::default().start(search).observed();
//! assert!(watched[0].0 > 0 && outcome.effort.nodes > 0);
//! ```
//!
//! # Writing your own method
//!
//! A selective method is a file in `src/selective/` with its options, the plain numbers the search reads, and decisions
//! that are pure functions; `CONTRIBUTING.md` shows the three places it touches, and `src/selective/example.rs` is a
//! complete one to copy. A decision can be tried without a search:
//!
//! ```
//! use espalier::Score;
//! use espalier::selective::{Resolve, delta};
//!
//! let rule = delta::Settings { on: true, margin: 100, even: true }.resolve();
//! let (eval, knight) = (Score::cp(-500), 325);
//! // Even with the knight and the margin the mover stays below alpha, so the capture is left out.
//! assert_eq!(rule.ceiling(eval, knight, Score::cp(0)), Some(Score::cp(-75)));
//! assert_eq!(rule.ceiling(eval, knight, Score::cp(-100)), None);
//! ```
//!
//! # Modules
//!
//! Below the engine is [`search`]: iterative deepening around two routines, one for the principal variation and one for
//! minimal windows. The methods of [`selective`] prune in the second. Each is one file with pure functions that never
//! see a board. An [`observer`](search::observer) reports what they did; a search without one pays nothing.
//!
//! [`search::syzygy`] probes endgame tables.
//!
//! Every option is a row of one table, [`options`], which UCI, `--set NAME=VALUE` and `docs/OPTIONS.md` all use.
//!
//! The tools are on top of the engine: [`lab`] (matches, test suites and published experiments), [`learn`] (everything
//! learned from games) and [`tree`] (recorded searches and their viewer). They do not depend on each other. What they
//! share is below them: test suites ([`epd`]), self-play (`self_play`), ends of games ([`adjudication`]), stored games
//! ([`game_record`]), statistics ([`statistics`]), the origin of results (`provenance`), and output (`text_table`,
//! `picture`, `files`).
//!
//! A module may use modules on the lines below its own, but none above or beside it:
//!
//! ```text
//! cli
//! lab · learn
//! uci
//! tree · self_play · bench
//! engine · provenance
//! options · perft
//! search
//! selective · eval · adjudication
//! options::row · epd · game_record
//! board
//! score · depth · limits · random · parallel · statistics · files · text_table · picture
//! ```
//!
//! A test reads the paths in the code and enforces this. Nothing below [`uci`] knows the protocol, and the search never
//! prints. `docs/ARCHITECTURE.md` follows a `go` through these modules.

// `pub` is for what the library offers; tests are exempt.
#![cfg_attr(not(test), warn(unreachable_pub))]

pub mod adjudication;
pub mod bench;
pub mod board;
pub mod cli;
pub mod depth;
pub mod engine;
pub mod epd;
pub mod eval;
pub(crate) mod files;
pub mod game_record;
pub mod lab;
pub mod learn;
pub mod limits;
pub mod options;
pub(crate) mod parallel;
pub mod perft;
pub(crate) mod picture;
pub(crate) mod provenance;
pub mod random;
pub mod score;
pub mod search;
pub mod selective;
pub(crate) mod self_play;
pub mod statistics;
pub(crate) mod text_table;
pub mod tree;
pub mod uci;

pub use board::{Game, PackedMove, Position};
pub use depth::Depth;
pub use engine::Engine;
pub use limits::Limits;
pub use options::Options;
pub use score::{Bound, MAX_PLY, Score, Window};
pub use search::{Handle, Outcome, Search};
