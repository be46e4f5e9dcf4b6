//! From a value to the type a command wants.

use crate::value::{Hash, List, Set, SortedSet, StringValue, Value};

/// The key holds another type than the command works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongType;

/// A type that a [`Value`] may hold.
pub trait Typed: Sized {
    /// The value as this type, if it is one.
    fn of(value: &Value) -> Option<&Self>;
    /// The same, to change it.
    fn of_mut(value: &mut Value) -> Option<&mut Self>;
    /// An empty value of this type.
    fn empty() -> Value;
}

macro_rules! typed {
    ($type:ty, $variant:ident, $empty:expr) => {
        impl Typed for $type {
            fn of(value: &Value) -> Option<&Self> {
                if let Value::$variant(inner) = value { Some(inner) } else { None }
            }
            fn of_mut(value: &mut Value) -> Option<&mut Self> {
                if let Value::$variant(inner) = value { Some(inner) } else { None }
            }
            fn empty() -> Value {
                Value::$variant($empty)
            }
        }
    };
}

typed!(StringValue, String, StringValue::raw());
typed!(List, List, List::new());
typed!(Hash, Hash, Hash::new());
typed!(Set, Set, Set::new());
typed!(SortedSet, SortedSet, SortedSet::new());
