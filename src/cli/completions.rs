//! `espalier completions` and `espalier man`: what packages install beside the program.

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Arguments as CommandLine, Assignments, Failure};
use crate::files::make_folder;

/// Examples shown by `espalier completions --help`.
const EXAMPLES: &str = "\
Examples:
  espalier completions bash > ~/.local/share/bash-completion/completions/espalier
  espalier completions zsh > ~/.zfunc/_espalier
  espalier completions fish > ~/.config/fish/completions/espalier.fish";

/// Prints completions for a shell
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Shell to write completions for
    shell: Shell,
    #[command(flatten)]
    pub set: Assignments,
}

impl Arguments {
    pub(super) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "espalier", &mut text);
        Ok(out.write_all(&text)?)
    }
}

/// Prints the manual page, or writes it and those of all subcommands into a folder
#[derive(clap::Args)]
pub(super) struct Man {
    /// Writes espalier.1, espalier-bench.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub set: Assignments,
}

impl Man {
    pub(super) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.out {
            Some(folder) => {
                make_folder(&folder)
                    .and_then(|()| clap_mangen::generate_to(CommandLine::command(), &folder))
                    .map_err(|error| Failure::Wrong(format!("--out {}: {error}", folder.display())))?;
            }
            None => clap_mangen::Man::new(CommandLine::command()).render(out)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_and_pages_know_every_subcommand() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut text = Vec::new();
            assert!(Arguments { shell, set: Assignments::default() }.run(&mut text).is_ok());
            let text = String::from_utf8(text).unwrap();
            for command in CommandLine::command().get_subcommands() {
                assert!(text.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let man = Man { out: Some(folder.path().to_owned()), set: Assignments::default() };
        assert!(man.run(&mut Vec::new()).is_ok());
        assert!(folder.path().join("espalier.1").is_file());
        assert!(folder.path().join("espalier-epd.1").is_file());
    }
}
