// A package that is not installed is told by its name, with the way out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingPackage } from '#lib/missing.ts'

test('an import that fails for want of a package names it and npm ci; any other fault is none of these', async () => {
  const name = 'a-package-that-nobody-has'
  const error: unknown = await import(name).catch((cause: unknown) => cause)
  assert.match(missingPackage(error) ?? '', /^a-package-that-nobody-has is missing: run npm ci in \//)
  assert.equal(missingPackage(new Error("Cannot find package 'x'")), undefined)
  assert.equal(missingPackage(undefined), undefined)
})
