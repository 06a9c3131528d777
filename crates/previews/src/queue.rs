//! What is to be rendered, and in which order.
//!
//! Filled once, in the order of the caller (the newest import first); what a person is
//! looking at can be moved to the front while it is worked through. Workers take from it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use lightfast_model::{ContentHash, Photo, Role};

/// A RAW that is to be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its content.
    pub hash: ContentHash,
    /// What a person calls it.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Where it may lie; the first that is there is taken.
    pub paths: Vec<PathBuf>,
    /// How often its worker was killed from outside.
    pub(crate) kills: u32,
}

impl Item {
    /// A RAW at these places.
    pub fn new(hash: ContentHash, name: String, bytes: u64, paths: Vec<PathBuf>) -> Self {
        Self { hash, name, bytes, paths, kills: 0 }
    }

    /// The RAWs of a photo; `folder_of` tells where a root is now.
    pub fn of(photo: &Photo, folder_of: impl Fn(&str) -> Option<PathBuf>) -> Vec<Self> {
        let raws = photo.files.iter().filter(|file| file.role == Role::Raw);
        raws.map(|file| {
            let place = |copy: &lightfast_model::Copy| Some(folder_of(&copy.root)?.join(copy.path.as_path()));
            let paths: Vec<PathBuf> = file.copies.iter().filter_map(place).collect();
            let name = file.copies.first().map(|copy| copy.path.as_path()).and_then(Path::file_name);
            let name = name.map_or_else(|| photo.id.to_string(), |name| name.to_string_lossy().into_owned());
            Self::new(file.hash, name, file.bytes, paths)
        })
        .collect()
    }
}

/// Items in order; shared by the threads that work through them.
#[derive(Debug, Default)]
pub struct Queue(Mutex<VecDeque<Item>>);

impl Queue {
    /// In this order; each content once.
    pub fn new(items: impl IntoIterator<Item = Item>) -> Self {
        let mut seen = std::collections::HashSet::new();
        Self(Mutex::new(items.into_iter().filter(|item| seen.insert(item.hash)).collect()))
    }

    /// Moves what somebody looks at to the front.
    pub fn prefer(&self, hash: &ContentHash) {
        let mut items = self.items();
        if let Some(item) = items.iter().position(|item| item.hash == *hash).and_then(|at| items.remove(at)) {
            items.push_front(item);
        }
    }

    /// Items that wait, and their bytes.
    pub fn waiting(&self) -> (u64, u64) {
        let items = self.items();
        (items.len() as u64, items.iter().map(|item| item.bytes).sum())
    }

    pub(crate) fn take(&self) -> Option<Item> {
        self.items().pop_front()
    }

    pub(crate) fn put_back(&self, item: Item) {
        self.items().push_back(item);
    }

    fn items(&self) -> std::sync::MutexGuard<'_, VecDeque<Item>> {
        // A thread that panicked with the lock leaves a whole list.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(n: u8) -> Item {
        Item::new(ContentHash([n; 32]), n.to_string(), u64::from(n), vec![])
    }

    #[test]
    fn the_order_is_the_callers_until_somebody_looks() {
        let queue = Queue::new([item(1), item(2), item(3), item(2)]);
        assert_eq!(queue.waiting(), (3, 6));
        queue.prefer(&item(3).hash);
        queue.prefer(&item(9).hash);
        let order: Vec<String> = std::iter::from_fn(|| queue.take()).map(|item| item.name).collect();
        assert_eq!(order, ["3", "1", "2"]);
    }
}
