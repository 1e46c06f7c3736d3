// Objects without the fields that are undefined.

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The fields without those that are undefined. It makes several objects: the hot path has a condition for each field. */
export function withoutUndefined<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}
