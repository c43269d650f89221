//! `espalier options`.

use std::io::{self, Write};

use super::{Assignments, Failure};
use crate::options::{self, Options};

/// Lists the UCI options, what they take and what they do
#[derive(clap::Args)]
pub struct Arguments {
    /// As a Markdown table (docs/OPTIONS.md)
    #[arg(long)]
    markdown: bool,
    #[command(flatten)]
    pub set: Assignments,
}

impl Arguments {
    pub fn run(self, options: &Options, out: &mut impl Write) -> Result<(), Failure> {
        if self.markdown {
            write!(out, "{}", options_page())?;
        } else {
            list(options, out)?;
        }
        Ok(())
    }
}

fn list(options: &Options, out: &mut impl Write) -> io::Result<()> {
    for row in options::rows() {
        let value = row.read(options);
        let value = if value.is_empty() { "(button)" } else { &value };
        writeln!(out, "{:<23} {value:<10} {}", row.name, row.kind)?;
        writeln!(out, "{:<23} {}", "", row.doc)?;
    }
    Ok(())
}

/// The text of `docs/OPTIONS.md`.
pub fn options_page() -> String {
    let mut page = String::from(
        "# Options\n\n\
         Made by `espalier options --markdown`; a test keeps it true. Every option can be set with UCI's\n\
         `setoption`, and with `--set NAME=VALUE` on the command line. Names are matched without regard to case. Where\n\
         the paper of a method, or the programs of its time, had another value than the default, the presets named\n\
         after published programs use that one.\n\n\
         | option | takes | default | published | what it does |\n| --- | --- | --- | --- | --- |\n",
    );
    for row in options::rows() {
        let default = row.kind.default_text();
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        let published = row.published.map_or(String::new(), |value| format!("`{value}`"));
        page.push_str(&format!(
            "| `{}` | {} | {default} | {published} | {} |\n",
            row.name, row.kind, row.doc
        ));
    }
    page
}
