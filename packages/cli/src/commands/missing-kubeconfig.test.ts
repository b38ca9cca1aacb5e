import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { createProgram } from '../program.ts'

const rows: readonly [args: readonly string[], exitCode: number][] = [
  [['dashboard'], exitCodes.usage],
  [['controllers', 'install', '--image', 'strata:1'], exitCodes.notSeen],
  [['controllers', 'uninstall', '--yes'], exitCodes.notSeen],
]
for (const [args, exitCode] of rows) {
  test(`strata ${args.join(' ')}: a kubeconfig that does not exist, by the documented exit code`, async () => {
    const context = {
      ...{
        world: createNodeWorld({ log: silentLog }),
        signal: new AbortController().signal,
        environment: {},
      },
      ...{ print: () => {}, warn: () => {}, isTerminal: false },
    } as unknown as CliContext
    const file = '/nonexistent/kubeconfig'
    await assert.rejects(createProgram(context).run([...args, '--kubeconfig', file]), {
      message: `--kubeconfig ${file}: there is no such file`,
      exitCode,
    })
  })
}
