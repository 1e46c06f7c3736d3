// Crashes through this door, for minutes.
import { test } from 'node:test'
import { storm } from './storm.ts'

test('killed a hundred times under load: every acknowledged job is completed once, none is lost or doubled', (t) =>
  storm(t, { conversations: 20, perConversation: 200, kills: 100 }))
