import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeDirectory } from './make-directory.ts'

const nobody = 65_534

describe('make directory', () => {
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-directory-'))
    await writeFile(join(home, 'file'), '')
    await chmod(home, 0o755)
  })
  after(() => rm(home, { recursive: true, force: true }))

  test('makes what is missing above it, for its owner only, and is content with what is there', async () => {
    const path = join(home, 'a', 'b', 'c')
    await makeDirectory(path, '--data-dir')
    await makeDirectory(path, '--data-dir')
    assert.equal((await stat(path)).mode & 0o777, 0o700)
  })

  const refused: readonly [name: string, path: () => string, message: RegExp, as?: number][] = [
    ['a file', () => join(home, 'file'), /^--data-dir .*file: .*file is not a directory; choose another/],
    ['a path through a file', () => join(home, 'file', 'x', 'y'), /file is not a directory/],
    [
      'a place where nobody can make directories',
      () => '/proc/nope/deep',
      /\/proc\/nope cannot be made|\/proc is not writable/,
    ],
    ['a directory of somebody else', () => join(home, 'closed', 'x'), /closed is not writable/, nobody],
  ]
  for (const [name, path, message, as] of refused) {
    test(`${name} is refused in one line`, { timeout: 5_000 }, async () => {
      await makeDirectory(join(home, 'closed'), '--data-dir')
      await chmod(join(home, 'closed'), 0o555)
      await asUser(as, () =>
        assert.rejects(makeDirectory(path(), '--data-dir'), { name: 'ConfigurationProblem', message }),
      )
    })
  }
})

/** Root may write anywhere; what others may not is tried as one of them. */
async function asUser(user: number | undefined, act: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  if (user === undefined || !isRoot) return act()
  process.seteuid?.(user)
  try {
    await act()
  } finally {
    process.seteuid?.(0)
  }
}
