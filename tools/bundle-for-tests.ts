import { join } from 'node:path'
import { build } from 'esbuild'
import { REQUIRED_MAJOR } from '../packages/cli/bin/pinned-node.mjs'
import { bundleCommand } from './bundle-command.ts'
import { root } from './repository.ts'

/**
 * The command in one file, as it is published, and the history audit and the example's kinds in others: tests start
 * hundreds of processes, and from a thousand sources each start takes twice the processor time.
 * `test/support/serve-process.ts` reads where they are.
 */
export async function bundleForTests(directory: string): Promise<{ readonly STRATA_BUNDLED: string }> {
  await Promise.all([
    bundleCommand(join(directory, 'strata.mjs'), REQUIRED_MAJOR),
    bundleCommand(join(directory, 'audit-history.mjs'), REQUIRED_MAJOR, 'test/history-audit/main.ts'),
    build({
      ...{ absWorkingDir: root, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' },
      entryPoints: ['examples/lighthouse/resources.ts'],
      outfile: join(directory, 'lighthouse.mjs'),
      // CommonJS among the dependencies asks for built-in modules with require.
      banner: {
        js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
      },
    }),
  ])
  return { STRATA_BUNDLED: directory }
}
