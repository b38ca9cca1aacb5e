// npm's scripts start here, on whatever Node the machine has: sets up what is missing, then runs the task on
// the pinned Node. Usage: node tools/setup/run.mjs <task> [arguments]
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../packages/cli/bin/run-program.mjs'
import { SetupProblem } from './problem.mjs'
import { setUp } from './set-up.mjs'
import { describeSwallowed } from './swallowed-flags.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const testing = {
  parts: ['etcd', 'kubectl', 'python-client', 'pytest', 'chromium'],
  optionalParts: ['old-kubectl'],
  folders: ['examples/testing/vitest'],
}
const TASKS = {
  start: {
    program: [
      'packages/cli/bin/strata.mjs',
      'up',
      '--resources',
      'examples/lighthouse/resources.ts',
      '--release',
      'x+1',
    ],
    flags: ['servers', 'data-dir', 'port', 'fresh', 'etcd-servers', 'dashboard-port', 'no-dashboard'],
  },
  test: { program: ['tools/test.ts'], ...testing },
  'test:full': {
    program: ['tools/test.ts'],
    environment: { STRATA_TEST_SCALE: '8' },
    ...testing,
    folders: [...testing.folders, 'tools/site'],
  },
  check: { program: ['tools/check.ts'] },
  bench: { program: ['test/bench/main.ts'], parts: ['etcd'] },
  'bench:testing': { program: ['test/bench/testing/main.ts'] },
  // Every worker loads all sources: without the cache each strips their types and compiles them.
  sim: {
    program: ['test/simulation/main.ts'],
    environment: { NODE_COMPILE_CACHE: join(root, '.strata', 'compile-cache') },
  },
  model: { program: ['test/model/main.ts'] },
  fuzz: { program: ['test/fuzz/main.ts'] },
  'e2e:cluster': { program: ['test/scenes/main.ts'], parts: ['kubectl'] },
  faults: { program: ['test/faults/main.ts'], parts: ['etcd'], optionalParts: ['etcdctl'] },
  soak: { program: ['test/soak/main.ts'] },
  docs: { program: ['tools/site/main.ts'], folders: ['tools/site'] },
  build: { program: ['tools/build.ts'] },
  package: { program: ['tools/package/main.ts'] },
}

const [name = '', ...rest] = process.argv.slice(2)
const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined

try {
  if (task === undefined)
    throw new SetupProblem(`no such task: ${name}; there are ${Object.keys(TASKS).join(', ')}`)
  const swallowed = describeSwallowed(name, task.flags ?? [], rest, process.env)
  if (swallowed !== undefined) throw new SetupProblem(swallowed)
  const { node, environment } = await setUp({ root, ...task })
  // npm keeps the first `--` to itself; one that is still here came from a direct call.
  const args = rest[0] === '--' ? rest.slice(1) : rest
  process.exitCode = await runProgram(
    node,
    [join(root, task.program[0]), ...task.program.slice(1), ...args],
    {
      cwd: root,
      env: { ...process.env, ...environment, ...task.environment },
    },
  )
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error
  process.stderr.write(`set-up: ${error.message}\n`)
  process.exitCode = 1
}
