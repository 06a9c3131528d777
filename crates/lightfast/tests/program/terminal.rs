//! What a person at a terminal sees: colour, questions, what can be done next. `script` lends the terminal.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::{Output, TestLibrary, many_photos, skipped, small_card};

/// Runs the program on a terminal, types `answers` into it, and gives what was seen.
fn on_terminal(library: &TestLibrary, arguments: &str, answers: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_lightfast"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--log-out", "/dev/null", "--command", &line]);
    library.surround(&mut command).env("TERM", "xterm-256color").envs(variables.iter().copied());
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.ok()?;
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    Some(Output::from(child.wait_with_output().unwrap()))
}

#[test]
fn alone_it_says_what_can_be_done_next() {
    let library = TestLibrary::new();
    let Some(output) = on_terminal(&library, "", "", &[]) else {
        return skipped("alone_it_says_what_can_be_done_next", "no script");
    };
    let text = output.exits(0).text();
    for word in ["provably whole", "import", "demo", "--help"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!library.path().exists());
}

#[test]
fn colours_only_on_a_terminal_that_wants_them() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let Some(output) = on_terminal(&library, "list", "", &[]) else {
        return skipped("colours_only_on_a_terminal_that_wants_them", "no script");
    };
    assert!(output.exits(0).text().contains('\x1b'));
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let plain = on_terminal(&library, "list", "", &[variable]).unwrap().exits(0).text();
        assert!(!plain.contains('\x1b'), "{variable:?}: {plain:?}");
    }
}

#[test]
fn above_twenty_photos_mark_asks() {
    let library = TestLibrary::new();
    let _ = library.import(&many_photos(21)).exits(0);
    let Some(output) = on_terminal(&library, "mark --all --rating 3", "n\n", &[]) else {
        return skipped("above_twenty_photos_mark_asks", "no script");
    };
    let text = output.exits(0).text();
    assert!(text.contains("Change 21 photos? [y/N]") && text.contains("Nothing was changed"), "{text}");
    assert!(library.run(["list", "rating:3", "--json"]).exits(0).out.is_empty());
    let text = on_terminal(&library, "mark --all --rating 3", "y\n", &[]).unwrap().exits(0).text();
    assert!(text.contains("21 photos changed"), "{text}");
}
