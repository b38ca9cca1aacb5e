import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
const patience = { giveUpMs: 60_000 }

// If npm is killed, the shell in between is left, and only Linux says that it is alone.
for (const signal of process.platform === 'linux'
  ? (['SIGTERM', 'SIGKILL'] as const)
  : (['SIGTERM'] as const)) {
  test(`npm exec: ${signal} to npm alone ends the server kindly`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'strata-npm-exec-'))
    // A process group of its own, so that nothing is left whatever happens.
    const npm = spawn(
      'npm',
      ['exec', 'strata', '--', 'serve', '--data-dir', directory, '--secure-port', '0'],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    )
    let said = ''
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    }
    const closed = once(npm, 'close')
    let isClosed = false
    void closed.then(() => {
      isClosed = true
    })
    try {
      await until('it serves', () => said.includes('serving') || npm.exitCode !== null, patience)
      npm.kill(signal)
      // Its output is closed when the last process below it is gone.
      await until('all have gone', () => isClosed, patience)
      assert.match(said, /stopped; storage version entries removed/)
    } finally {
      if (!isClosed && npm.pid !== undefined) process.kill(-npm.pid, 'SIGKILL')
      await rm(directory, { recursive: true, force: true })
    }
  })
}

test('npm exec: a server that was put into the background goes on when npm and its shell have ended', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-npm-background-'))
  const log = join(directory, 'log')
  const command = `strata serve --data-dir ${directory}/data --secure-port 0 > ${log} 2>&1 & echo $!`
  const { stdout } = spawnSync('npm', ['exec', '-c', command], { cwd: root, encoding: 'utf8' })
  const pid = Number(stdout)
  assert.ok(pid > 0, stdout)
  try {
    const has = (word: string): boolean => existsSync(log) && readFileSync(log, 'utf8').includes(word)
    await until('it serves', () => has('serving'), patience)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    assert.doesNotThrow(() => process.kill(pid, 0))
  } finally {
    process.kill(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true })
  }
})
