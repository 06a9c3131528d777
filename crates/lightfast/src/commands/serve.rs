//! `lightfast serve`: the app, in a browser on this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_catalog::Place;
use lightfast_import::Library;
use lightfast_serve::{LibraryOptions, Options, ServeError, Token};
use lightfast_worker::WorkerOptions;

use crate::context::{Context, installed};
use crate::error::{Error, Exit};
use crate::{interrupt, keeping, library};

/// Look through the library in a browser: browse, cull, rate, search, import
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 4807, value_name = "N")]
    port: u16,

    /// The address to listen on; any but this machine's own lets others on the network try the token
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    bind: IpAddr,

    /// Which 1:1 previews are made in the background: rendered from the RAWs of the newest import, or only the camera's own
    #[arg(long, value_enum, default_value_t = Previews::Rendered, value_name = "KIND")]
    previews: Previews,

    /// Open the app in the browser
    #[arg(long)]
    open: bool,
}

/// What is made in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Previews {
    Camera,
    Rendered,
}

impl Serve {
    /// A free port of this machine, and the browser.
    pub(crate) fn opened() -> Self {
        Self { port: 0, bind: IpAddr::V4(Ipv4Addr::LOCALHOST), previews: Previews::Rendered, open: true }
    }
}

pub(crate) fn run(args: &Serve, context: &Context) -> Result<Exit, Error> {
    at(library::place(context)?, args, context)
}

/// Serves the library of that place.
pub(crate) fn at(place: Place, args: &Serve, context: &Context) -> Result<Exit, Error> {
    // A folder that is no library yet is an empty one, and the first import makes it; what is damaged says so now.
    Library::find(&place.library).map_err(|error| Error::start(error.to_string()))?;
    if place.file().exists() {
        lightfast_catalog::Catalog::open_read_only(&place).map_err(library::catalog_error)?;
    }
    let program = std::env::current_exe().map_err(|error| Error::start("cannot find this program").because(error))?;
    let stop = interrupt::watch()?;
    let options = Options {
        bind: SocketAddr::new(args.bind, args.port),
        token: Token::from_random(random()?),
        library: LibraryOptions {
            place,
            zone: TimeZone::system(),
            now: Timestamp::now,
            worker: Some(WorkerOptions { ffmpeg: installed("ffmpeg"), ..WorkerOptions::new(program) }),
            builds: (args.previews == Previews::Rendered).then_some(Context::system_time),
            sidecars: keeping::settings(context),
            ffmpeg: on_path("ffmpeg"),
        },
    };
    if !args.bind.is_loopback() {
        context.ui.warn("Others on this network can reach the app; only the token in the address keeps them out.");
    }
    lightfast_serve::serve(options, stop, |address| say(address, args.open, context)).map_err(|error| match error {
        ServeError::Bind { address, source } if source.kind() == std::io::ErrorKind::AddrInUse => {
            Error::start(format!("{address} is taken"))
                .hint("another lightfast may be serving; --port N takes another port")
        }
        other => Error::start(other.to_string()),
    })?;
    Ok(Exit::Done)
}

fn say(address: &str, open: bool, context: &Context) {
    let ui = &context.ui;
    if ui.is_json() {
        ui.object(&serde_json::json!({ "event": "serve", "address": address }));
    } else {
        ui.answer(address);
        ui.remark("Open this address in a browser on this machine. Ctrl-C ends it.");
    }
    ui.flush();
    if open {
        let opened = Command::new("xdg-open")
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if opened.is_err() {
            ui.remark("No browser could be opened from here.");
        }
    }
}

/// A program of that name on the PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_absolute() && file.is_file())
}

fn random() -> Result<[u8; 32], Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::start(format!("the system gives no random numbers: {error}")))?;
    Ok(bytes)
}
