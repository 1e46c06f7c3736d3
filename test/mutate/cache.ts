// What earlier runs found, in node_modules/.cache: a run repeats only what a change may have changed.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Coverage } from './coverage.ts'
import type { Outcome } from './mutate.ts'

type Outcomes = { readonly text: string; readonly outcomes: Record<string, Outcome> }

export type Cache = {
  coverage(test: string, key: string): Coverage | undefined
  keepCoverage(test: string, key: string, coverage: Coverage): void
  /** `text` stands for the source file as it is: once it changes, all its results are forgotten. */
  result(path: string, text: string, key: string): Outcome | undefined
  keepResult(path: string, text: string, key: string, outcome: Outcome): void
}

export function openCache(root: string): Cache {
  const folder = join(root, 'node_modules', '.cache', 'mutate')
  mkdirSync(folder, { recursive: true })
  const fileOf = (path: string): string => join(folder, `${path.replaceAll('/', '+')}.json`)
  const read = (path: string): unknown =>
    existsSync(fileOf(path)) ? JSON.parse(readFileSync(fileOf(path), 'utf8')) : undefined
  // Whole or not at all: a run may be stopped at any time.
  const write = (path: string, value: unknown): void => {
    writeFileSync(`${fileOf(path)}.new`, JSON.stringify(value))
    renameSync(`${fileOf(path)}.new`, fileOf(path))
  }
  const known = new Map<string, Outcomes>()
  const outcomesOf = (path: string, text: string): Outcomes => {
    const found = known.get(path) ?? (read(path) as Outcomes | undefined)
    const current = found?.text === text ? found : { text, outcomes: {} }
    known.set(path, current)
    return current
  }
  return {
    coverage: (test, key) => {
      const kept = read(test) as { key: string; coverage: Coverage } | undefined
      return kept?.key === key ? kept.coverage : undefined
    },
    keepCoverage: (test, key, coverage) => write(test, { key, coverage }),
    result: (path, text, key) => outcomesOf(path, text).outcomes[key],
    keepResult: (path, text, key, outcome) => {
      const current = outcomesOf(path, text)
      current.outcomes[key] = outcome
      write(path, current)
    },
  }
}
