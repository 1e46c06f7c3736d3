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

/**
 * From here on temporary files are made in a folder of the run, unless somebody has chosen one: what interrupted tests leave
 * is removed with it.
 */
export function useRunFolder(memory = memoryDisk): Scratch | undefined {
  if (process.env['TMPDIR'] !== undefined) return undefined
  const folder = openInMemory(memory) ?? openFolder()
  process.env['TMPDIR'] = folder.path
  return folder
}

function openInMemory(disk: string): Scratch | undefined {
  if (process.availableMemory() < minMemoryBytes || !hasRoom(disk)) return undefined
  process.env['TMPDIR'] = disk
  const folder = openFolder()
  delete process.env['TMPDIR']
  if (runsPrograms(folder.path)) return folder
  folder.remove()
  return undefined
}

function openFolder(): Scratch {
  const folder = openScratch('atrium-tests-')
  // As other folders for temporary files: a server and components run as other users.
  chmodSync(folder.path, 0o1777)
  return folder
}

function hasRoom(disk: string): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(disk)
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
