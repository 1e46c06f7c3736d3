// The folder for temporary files of a run of the tests. In memory where there is room: a home has a database, and a disk
// takes its time for each commit.
import { execFileSync } from 'node:child_process'
import { chmodSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openScratch, type Scratch } from './scratch.ts'

const memoryDisk = '/dev/shm'
const tmpfs = 0x01_02_19_94
/** A run of all tests fills a quarter of it. */
const minFreeBytes = 4 * 1024 ** 3
/** The files take memory from the tests. */
const minMemoryBytes = 2 * minFreeBytes

/** From here on temporary files are made in a folder of the run, unless somebody has chosen one. Undefined if there is no room. */
export function useRunFolder(): Scratch | undefined {
  if (process.env['TMPDIR'] !== undefined || process.availableMemory() < minMemoryBytes || !hasRoom()) return undefined
  process.env['TMPDIR'] = memoryDisk
  const folder = openScratch('atrium-tests-')
  // As other folders for temporary files: a server and components run as other users.
  chmodSync(folder.path, 0o1777)
  if (runsPrograms(folder.path)) {
    process.env['TMPDIR'] = folder.path
    return folder
  }
  delete process.env['TMPDIR']
  folder.remove()
  return undefined
}

function hasRoom(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(memoryDisk)
    return type === tmpfs && bavail * bsize >= minFreeBytes
  } catch {
    return false
  }
}

/** Tests write programs and run them. Containers often forbid that there. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  try {
    execFileSync(program)
    return true
  } catch {
    return false
  }
}
