//! The viewer: a single HTML page that needs neither a server nor a network.

use std::io::{self, Read, Write};
use std::path::Path;

use super::legend::legend;
use crate::files::open_file;

/// Recordings up to this size are embedded in the page; larger ones are opened from it.
pub const EMBEDDED: u64 = 8 << 20;

const FRAME: &str = include_str!("viewer/page.html");
const STYLE: &str = include_str!("viewer/style.css");

/// The title by which a page is recognised.
const TITLE: &str = "<title>Espalier tree viewer</title>";

/// Whether a file with this beginning is a viewer page.
pub fn is_page(beginning: &[u8]) -> bool {
    String::from_utf8_lossy(beginning).contains(TITLE)
}

/// The scripts in the order of their dependencies.
const SCRIPTS: [&str; 14] = [
    include_str!("viewer/chess.js"),
    include_str!("viewer/file.js"),
    include_str!("viewer/board.js"),
    include_str!("viewer/index.js"),
    include_str!("viewer/why.js"),
    include_str!("viewer/tree.js"),
    include_str!("viewer/find.js"),
    include_str!("viewer/check.js"),
    include_str!("viewer/detail.js"),
    include_str!("viewer/flame.js"),
    include_str!("viewer/summary.js"),
    include_str!("viewer/compare.js"),
    include_str!("viewer/address.js"),
    include_str!("viewer/main.js"),
];

/// Writes a page that shows these recordings: none, one, or two to compare. The page asks for those that are too large
/// to embed.
pub fn write(out: &mut impl Write, recordings: &[&Path]) -> io::Result<()> {
    let script = SCRIPTS.concat();
    let mut rest = FRAME;
    for (place, text) in [("{{style}}", STYLE), ("{{legend}}", &legend().to_string())] {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        write!(out, "{before}{text}")?;
        rest = after;
    }
    let (before, after) = rest.split_once("{{recordings}}").unwrap_or((rest, ""));
    out.write_all(before.as_bytes())?;
    for path in recordings {
        write_recording(out, path)?;
    }
    let (before, after) = after.split_once("{{script}}").unwrap_or((after, ""));
    write!(out, "{before}{script}{after}")
}

/// One recording as an element of the page.
fn write_recording(out: &mut impl Write, path: &Path) -> io::Result<()> {
    let mut file = open_file(path)?;
    let size = file.metadata()?.len();
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let kind = if size <= EMBEDDED { "embedded" } else { "wanted" };
    write!(
        out,
        "<script type=\"text/plain\" class=\"{kind}\" data-name=\"{}\" data-size=\"{size}\">",
        escaped(&name)
    )?;
    if size <= EMBEDDED {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        out.write_all(&base64(&bytes))?;
    }
    out.write_all(b"</script>\n")
}

/// Escapes text for an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 (RFC 4648).
fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let six = bits >> (18 - 6 * index) & 63;
            text.push(if index <= chunk.len() { ALPHABET[six as usize] } else { b'=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text.as_bytes());
        }
    }

    #[test]
    fn a_page_has_no_holes_and_asks_for_nothing_outside() {
        let mut page = Vec::new();
        write(&mut page, &[]).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(is_page(&page.as_bytes()[..1000]) && !is_page(b"<!doctype html>\n<title>My thesis</title>"));
        assert!(!page.contains("{{") && page.trim_end().ends_with("</html>"));
        for outside in ["http:", "https:", "src=", "@import", "fetch("] {
            let allowed =
                page.matches("http://www.w3.org/2000/svg").count() * usize::from(outside == "http:");
            assert_eq!(page.matches(outside).count(), allowed, "{outside}");
        }
    }
}
