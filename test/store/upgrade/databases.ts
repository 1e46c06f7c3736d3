// Databases as earlier versions of Atrium left them, in `databases/`: `make.ts` adds to them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

/** A table of PostgreSQL, every value as its text. */
export type Table = {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: readonly (string | null)[][]
}
/** The statements that made the tables, word for word, and what is in them. */
export type PostgresDump = { readonly schema: readonly string[]; readonly tables: readonly Table[] }

type Backend = 'sqlite' | 'postgres'

const folder = join(import.meta.dirname, 'databases')
const nameOf = (version: number, backend: Backend): string => join(folder, `v${version}.${backend}.br`)

/** The versions that there are databases of, in order. */
export function keptVersions(): number[] {
  const found = readdirSync(folder).flatMap((name) => /^v(\d+)\.sqlite\.br$/.exec(name)?.[1] ?? [])
  return found.map(Number).toSorted((a, b) => a - b)
}

/** The file of SQLite. */
export function readSqliteFile(version: number): Buffer {
  return brotliDecompressSync(readFileSync(nameOf(version, 'sqlite')))
}

export function readPostgresDump(version: number): PostgresDump {
  return JSON.parse(brotliDecompressSync(readFileSync(nameOf(version, 'postgres'))).toString('utf8')) as PostgresDump
}

export function keepDatabases(version: number, file: Uint8Array, dump: PostgresDump): void {
  writeFileSync(nameOf(version, 'sqlite'), brotliCompressSync(file))
  writeFileSync(nameOf(version, 'postgres'), brotliCompressSync(JSON.stringify(dump)))
}
