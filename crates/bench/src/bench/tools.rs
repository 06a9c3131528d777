//! Other programs that the benchmark needs for itself: to make file systems, to mount, to ask for versions.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a tool did not do its part.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It is not installed.
    #[error("start {0}: it is not installed")]
    Missing(String),
    /// It could not be started.
    #[error("start {tool}")]
    Start {
        /// Which.
        tool: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It ran and failed.
    #[error("use {tool}: {said}")]
    Failed {
        /// Which.
        tool: String,
        /// What it said.
        said: String,
    },
    /// A step of our own.
    #[error("{step} {}", .path.display())]
    Io {
        /// What was being done.
        step: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
}

impl ToolError {
    pub(crate) fn start(tool: &str, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::NotFound => Self::Missing(tool.to_owned()),
            _ => Self::Start { tool: tool.to_owned(), source },
        }
    }

    pub(crate) fn failed(tool: &str, said: &str) -> Self {
        Self::Failed { tool: tool.to_owned(), said: said.to_owned() }
    }

    pub(crate) fn io(step: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { step, path: path.to_owned(), source }
    }
}

/// Runs a tool to its end; gives what it wrote to standard output.
pub(crate) fn run_tool(command: &mut Command) -> Result<String, ToolError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|e| ToolError::start(&tool, e))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim().lines().next_back().filter(|line| !line.is_empty());
    Err(ToolError::failed(&tool, said.unwrap_or(&output.status.to_string())))
}
