//! The client for other engines, with ours at the other end and with shell scripts that misbehave.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use espalier::uci::client::{Client, Reply};
use espalier::uci::go::Go;
use espalier::uci::{EngineError, EngineErrorKind};

use crate::script;

const SHORT: Duration = Duration::from_millis(300);
/// More than a busy machine needs for a handshake.
const A_WHILE: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(30);

fn go(client: &mut Client) -> Result<Reply, EngineError> {
    client.go(&Go { depth: Some(5), ..Go::default() }, SHORT, &AtomicBool::new(false))
}

#[test]
fn our_own_engine_answers() {
    let mut client = Client::start(env!("CARGO_BIN_EXE_espalier")).unwrap();
    assert!(client.name().starts_with("Espalier"));
    assert!(client.has_option("hash"));
    client.set_option("Hash", "2").unwrap();
    assert!(matches!(client.set_option("Telepathy", "1").unwrap_err().kind, EngineErrorKind::NoOption(_)));
    client.new_game().unwrap();
    client.position(Some("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1"), &["a1a2".into(), "h7h6".into()]).unwrap();
    let depth = Go { depth: Some(4), ..Go::default() };
    let reply = client.go(&depth, LONG, &AtomicBool::new(false)).unwrap();
    let line = reply.last_line().unwrap();
    assert_eq!((line.depth, line.moves.first()), (Some(4), Some(&reply.best)));
    assert!(line.nodes.unwrap() > 0 && line.score.is_some());
}

#[test]
fn a_raised_flag_ends_a_search_without_end() {
    let mut client = Client::start(env!("CARGO_BIN_EXE_espalier")).unwrap();
    client.position(None, &[]).unwrap();
    let forever = Go { infinite: true, ..Go::default() };
    let reply = client.go(&forever, LONG, &AtomicBool::new(true)).unwrap();
    assert_eq!(reply.best.len(), 4);
    assert!(reply.took < LONG);
}

#[test]
fn programs_that_are_no_engines_do_not_answer_or_die() {
    let failure = Client::start_within("cat", SHORT).err().unwrap();
    assert_eq!(failure.kind, EngineErrorKind::Silent { after: "uci", waited: SHORT });
    let failure = Client::start("sh -c 'echo no licence >&2; exit 3'").err().unwrap();
    let EngineErrorKind::Died { status, last_words } = failure.kind else { panic!("{failure}") };
    assert!(status.contains('3'), "{status}");
    assert_eq!(last_words, "no licence");
}

#[test]
fn an_engine_that_dies_while_it_thinks_is_told_from_one_that_is_silent() {
    let mut dying = Client::start_within(&script("exit 1"), A_WHILE).unwrap();
    assert!(matches!(go(&mut dying).unwrap_err().kind, EngineErrorKind::Died { .. }));
    let mut silent = Client::start_within(&script(":"), A_WHILE).unwrap();
    let failure = go(&mut silent).unwrap_err();
    assert!(matches!(failure.kind, EngineErrorKind::Silent { after: "go", .. }), "{failure}");
    assert_eq!(failure.engine, "Scripted");
}

#[test]
fn an_engine_that_says_nothing_is_given_up_long_before_its_limit() {
    // One that does not read, and one that says it is there and does not think.
    for go in ["sleep 60", ":"] {
        let mut silent = Client::start_within(&script(go), A_WHILE).unwrap();
        silent.set_timeout(Duration::from_millis(50));
        let begin = std::time::Instant::now();
        let long = Duration::from_secs(600);
        let failure = silent.go(&Go::default(), long, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(failure.kind, EngineErrorKind::Silent { after: "go", .. }), "{failure}");
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn an_engine_that_is_late_answers_late() {
    let mut late = Client::start_within(&script("sleep 0.5; echo bestmove e2e4"), LONG).unwrap();
    let reply = go(&mut late).unwrap();
    assert_eq!(reply.best, "e2e4");
    assert!(reply.took > SHORT && reply.forced);
    let mut quick = Client::start_within(&script("echo bestmove e2e4"), LONG).unwrap();
    assert!(!quick.go(&Go::default(), Duration::MAX, &AtomicBool::new(false)).unwrap().forced);
}

#[test]
fn a_flood_of_output_is_swallowed() {
    let flood = "i=0; while [ $i -lt 20000 ]; do echo noise; i=$((i+1)); done; echo bestmove e2e4";
    let mut client = Client::start_within(&script(flood), LONG).unwrap();
    let reply = client.go(&Go::default(), LONG, &AtomicBool::new(false)).unwrap();
    assert_eq!((reply.best.as_str(), reply.lines.len()), ("e2e4", 0));
}

#[test]
#[cfg(unix)]
fn an_engine_is_ended_with_what_it_has_started() {
    let pid = std::env::temp_dir().join(format!("espalier-{}-child.pid", std::process::id()));
    let body = format!("sleep 60 & echo $! > '{}'; wait", pid.display());
    let mut client = Client::start_within(&script(&body), A_WHILE).unwrap();
    assert!(matches!(go(&mut client).unwrap_err().kind, EngineErrorKind::Silent { .. }));
    drop(client);
    let child = std::fs::read_to_string(&pid).unwrap();
    std::fs::remove_file(&pid).unwrap();
    let ended = || {
        let alive = std::process::Command::new("kill").args(["-0", child.trim()]).output().unwrap();
        !alive.status.success()
    };
    let soon = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        ended()
    });
    assert!(soon, "process {} is still there", child.trim());
}
