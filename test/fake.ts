// Parts of interfaces, for tests that use no more of them.

/** Any part of a type, at each level. Functions are given whole. */
type Some<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: Some<T[Key]> }
    : T

/** What is given has the types of the interface, so that a fake follows its changes. The rest is missing. */
export function fake<T extends object>(given: Some<T>): T {
  return given as T
}
