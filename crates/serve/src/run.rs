//! The server for who knows nothing of async: start it, learn its address, end it by a flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::{Options, ServeError, Server};

/// How soon a flag that was set is seen.
const TICK: Duration = Duration::from_millis(100);

/// Serves until `stop` is set. `ready` gets the address, with its token, once it can be opened.
pub fn serve(options: Options, stop: Arc<AtomicBool>, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(64)
        .enable_all()
        .build()
        .map_err(ServeError::Run)?;
    runtime.block_on(async {
        let server = Server::bind(options).await?;
        ready(&server.url());
        server
            .run(async move {
                while !stop.load(Ordering::Relaxed) {
                    tokio::time::sleep(TICK).await;
                }
            })
            .await
    })?;
    // What still blocks (a read from a dead card) does not keep the program.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(())
}
