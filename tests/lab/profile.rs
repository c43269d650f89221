//! `espalier lab profile`, as a person runs it.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A small search of two positions.
const SMALL: [&str; 7] = ["bk", "--count", "2", "--nodes", "30000", "--set", "Hash=4"];

fn profile(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_espalier"));
    command.args(["lab", "profile"]).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = profile(&[&SMALL, arguments, &["--json"]].concat());
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn sum<'a>(values: impl IntoIterator<Item = &'a Value>) -> u64 {
    values.into_iter().map(number).sum()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a Vec<Value> {
    value[field].as_array().unwrap()
}

/// The counts of a method.
fn method<'a>(counts: &'a Value, name: &str) -> &'a Value {
    list(counts, "methods").iter().find(|used| used["method"] == name).unwrap()
}

#[test]
fn the_counts_add_up() {
    let document = json(&[]);
    let counts = &document["settings"][0]["counts"];
    assert_eq!(number(&counts["nodes"]), 60_000);
    assert_eq!(sum(list(counts, "searches").iter().map(|climb| &climb["nodes"])), 60_000);
    let by_depth = list(counts, "by_depth");
    assert_eq!(sum(by_depth.iter().map(|at| &at["nodes"])), 60_000, "every node has a depth");
    assert_eq!(by_depth[0]["nodes"], counts["quiescence_nodes"]);
    assert_eq!(sum(list(counts, "ends")), 60_000, "every node ended");
    let late = method(counts, "LateMoves");
    let histogram = sum(by_depth.iter().flat_map(|at| list(at, "by_plies")));
    assert!(histogram > 1_000, "{histogram} reduced moves");
    assert_eq!(histogram, number(&late["tries"]));
    let again = sum(by_depth.iter().map(|at| &at["again"]));
    assert!(again > 0 && again <= number(&late["tries"]) - number(&late["successes"]), "{again}");
    let (verdicts, singular) = (&counts["singular"], method(counts, "Singular"));
    let extended = number(&verdicts["by_one"]) + number(&verdicts["by_two"]);
    assert_eq!(extended, number(&singular["successes"]));
    let open = number(&singular["tries"]) - sum(verdicts.as_object().unwrap().values());
    assert!(open <= 20, "{open} tests were under way when the two searches were stopped");
    for hash in [&counts["hash"], &counts["quiescence_hash"]] {
        let [probes, hits, cutoffs] = ["probes", "hits", "cutoffs"].map(|field| number(&hash[field]));
        assert!(probes > hits && hits > cutoffs && cutoffs > 0, "{hash}");
    }
    assert!(number(&counts["cutoffs"]) > number(&counts["first_move_cutoffs"]));
}

#[test]
fn equal_settings_have_equal_columns_and_others_do_not() {
    let document = json(&["--compare", "Hash=4", "--jobs=2"]);
    assert_eq!(document["settings"][0]["counts"], document["settings"][1]["counts"]);
    let other = json(&["--compare", "NullMove=false", "--jobs=1"]);
    assert_eq!(document["settings"][0]["counts"], other["settings"][0]["counts"], "whatever the jobs");
    let without = &other["settings"][1]["counts"];
    assert_eq!(number(&method(without, "NullMove")["tries"]), 0);
    assert!(number(&method(&other["settings"][0]["counts"], "NullMove")["tries"]) > 0);
    assert_eq!(number(&without["nodes"]), 60_000);
}

#[test]
fn tables_values_and_picture_show_the_same_search() {
    let path: PathBuf = std::env::temp_dir().join(format!("espalier-profile-{}.svg", std::process::id()));
    let draw = ["--picture", path.to_str().unwrap()];
    let text = stdout(&profile(&[&SMALL[..], &draw].concat()));
    for line in text.lines() {
        assert!(line.chars().count() <= 80 || line.starts_with(['A', 'M']), "{line}");
    }
    for word in ["2 positions of bk, 30,000 nodes each", "null move", "extended by one ply", "quiescence"] {
        assert!(text.contains(word), "{word} is missing in {text}");
    }
    let picture = std::fs::read_to_string(&path).unwrap();
    assert!(picture.contains("Effective branching factor") && picture.contains("2 positions of bk"));
    std::fs::remove_file(&path).unwrap();
    let values = stdout(&profile(&[&SMALL[..], &["--csv"]].concat()));
    assert!(values.contains("\nA,overview,nodes,value,60000\n"), "{values}");
    let page = stdout(&profile(&[&SMALL[..], &["--markdown", "--compare", "NullMove=false"]].concat()));
    assert!(page.contains("| nodes | 60,000 | 60,000 | 1.00 |"), "{page}");
}

#[test]
fn what_is_wrong_is_named() {
    let empty = std::env::temp_dir().join(format!("espalier-profile-{}.epd", std::process::id()));
    std::fs::write(&empty, "# nothing\n").unwrap();
    let empty_suite = empty.to_str().unwrap();
    let refusals: [(&[&str], &str); 8] = [
        (&["nosuchsuite"], "nosuchsuite"),
        (&[empty_suite], "no usable position"),
        (&["--nodes", "0"], "1 or more"),
        (&["--count", "0"], "1 or more"),
        (&["--compare", "NullMove"], "NAME=VALUE"),
        (&["--compare", "NullMove=false", "Singular=false"], "Singular=false is no suite"),
        (&["--set", "Threads=2"], "one thread"),
        (
            &["bk", "--count", "1", "--nodes", "100", "--picture", "/nosuchfolder/x.svg"],
            "/nosuchfolder/x.svg",
        ),
    ];
    for (arguments, words) in refusals {
        let output = profile(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    std::fs::remove_file(&empty).unwrap();
}
