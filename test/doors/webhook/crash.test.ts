// Crashes through this door, in a few seconds.
import { test } from 'node:test'
import { storm } from './storm.ts'

test('killed again and again under load: every acknowledged job is completed once, none is lost or doubled', (t) =>
  storm(t, { conversations: 6, perConversation: 8, kills: 4 }))
