// Loaded before a test file while a fault is planted: once a test has failed, the others fail at once. The fault is
// noticed, and what the file has opened is closed as ever.
import { afterEach, beforeEach, type TestContext } from 'node:test'

let noticed = false

beforeEach(() => {
  if (noticed) throw new Error('a test before this one has failed')
})

afterEach((context) => {
  if ((context as TestContext).error) noticed = true
})
