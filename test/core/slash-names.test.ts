import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSlashName } from '#core/slash-names.ts'
import { commands } from '#doors/terminal/command-list.ts'

test('no skill can have the name of a command of the terminal', () => {
  assert.deepEqual(
    commands.filter((name) => !isSlashName(name.slice(1))),
    [],
  )
})
