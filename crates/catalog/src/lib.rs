//! The catalogue: schema, migrations, journal, queries, search, marks, history.
//!
//! The rule of this room: the only SQL. Everything else asks through this
//! room's narrow interface, so that a second engine could stand behind it.
#![forbid(unsafe_code)]
