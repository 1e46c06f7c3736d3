// Missions over several services that are killed while they fire.
import { test } from 'node:test'
import { fireOnReplicas } from './missions.ts'

test('three services with clocks a minute apart, killed in turn, fire each instant once', () =>
  fireOnReplicas({ missions: 9, kills: 10 }))
