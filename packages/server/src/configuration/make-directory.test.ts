import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeDirectory } from './make-directory.ts'

describe('make directory', () => {
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-directory-'))
    await writeFile(join(home, 'file'), '')
  })
  after(() => rm(home, { recursive: true, force: true }))

  test('makes what is missing above it, for its owner only, and is content with what is there', async () => {
    const path = join(home, 'a', 'b', 'c')
    await makeDirectory(path, '--data-dir')
    await makeDirectory(path, '--data-dir')
    assert.equal((await stat(path)).mode & 0o777, 0o700)
  })

  const refused: readonly [name: string, path: () => string, message: RegExp][] = [
    ['a file', () => join(home, 'file'), /^--data-dir .*file: .*file is not a directory; choose another/],
    ['a path through a file', () => join(home, 'file', 'x', 'y'), /file is not a directory/],
    [
      'a place where no directory can be created',
      () => '/proc/nope/deep',
      /\/proc\/nope cannot be created|\/proc is not writable/,
    ],
    // Root may write in every directory of a person's, but not among the kernel's.
    process.getuid?.() === 0
      ? [
          'a directory of the kernel',
          () => '/sys/kernel/strata/x',
          /\/sys\/kernel\/?\w* (cannot be created|is not writable)/,
        ]
      : ['a directory of another user', () => join(home, 'closed', 'x'), /closed is not writable/],
  ]
  for (const [name, path, message] of refused) {
    test(`${name} is refused in one line`, { timeout: 5_000 }, async () => {
      await makeDirectory(join(home, 'closed'), '--data-dir')
      await chmod(join(home, 'closed'), 0o500)
      await assert.rejects(makeDirectory(path(), '--data-dir'), { name: 'ConfigurationProblem', message })
    })
  }
})
