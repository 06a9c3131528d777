//! The seam for what differs by operating system.
//!
//! Linux is built and tested. What other systems would do here:
//!
//! | here | macOS | Windows |
//! | --- | --- | --- |
//! | `sync_file` | `fcntl(F_FULLFSYNC)` | `FlushFileBuffers` |
//! | direct reads and writes | `fcntl(F_NOCACHE)` | `FILE_FLAG_NO_BUFFERING` |
//! | `rename_new` | `renamex_np(RENAME_EXCL)` | `MoveFileEx` without `REPLACE_EXISTING` |
//! | `reserve` | `fcntl(F_PREALLOCATE)` | `SetFileInformationByHandle` |
//! | mounts and identity | `getfsstat`, DiskArbitration | `GetVolumeInformation` |
//! | priority | `setiopolicy_np` | `SetThreadPriority` background mode |
//!
//! Nothing is promised there until it is tested there.

mod device;
mod files;
mod mounts;
mod priority;

pub(crate) use device::{file_system_uuid, has_seek_cost, volume_label};
pub(crate) use files::{
    Direct, create_temp, drop_cached, folder_names, free_space, open_cold, open_source, remove_empty_folder,
    remove_file, rename_new, reserve, set_modified, set_shared_mode, start_writeback, sync_file, sync_folder, umask,
};
pub(crate) use mounts::{FsClass, file_size_limit, fs_class, mount_of};
pub use mounts::{Mount, mounts, unmount};
pub use priority::be_considerate;
