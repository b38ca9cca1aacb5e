import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { childrenOf, isRunningWith } from '../support/child-processes.ts'
import {
  type DocumentCommand,
  nameOf,
  readCommands,
  readTableCommands,
} from '../support/document-commands.ts'
import { startEtcd } from '../support/etcd.ts'
import { lighthouseModule, StrataProcess, strataCommand } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
const patienceMs = 120_000

/** In the order in which a new user reads them. */
const pages = [
  ...['README.md', 'docs/getting-started.md', 'docs/playground.md', 'docs/own-kinds.md', 'docs/rehearse.md'],
  'docs/testing.md',
]

/** Commands that this test does not run, and where they run instead. */
const elsewhere: Readonly<Record<string, string>> = {
  'npm start': 'up.test.ts; here the fleet is the same, on etcd',
  'npm test': 'it runs this test; starter.slow.test.ts runs that of a project',
  'strata up --resources examples/lighthouse/resources.ts --release x+1': 'it is the fleet of this test',
  'strata roll --to x+2': 'roll.test.ts',
  'strata roll --to x+2 --one-by-one': 'roll.test.ts',
  'strata roll --back': 'roll.test.ts',
  'strata roll --pause': 'roll.test.ts',
  'strata roll --resume': 'roll.test.ts',
  'strata testenv': 'it runs until it is ended: testenv.slow.test.ts',
  'strata serve --resources resources.ts':
    'the servers of this fleet run it; resources.ts is that of a new project',
  'strata testenv --crds config/crd/bases': 'it runs until it is ended: testenv.slow.test.ts',
  'npm run bench:testing -- --assets DIR': 'needs a kube-apiserver in DIR',
  'npm install': 'needs published packages: starter.slow.test.ts takes those of the clone',
  'strata serve --aggregated --kubeconfig aggregator.yaml --resources resources.ts --service-name shop/api':
    'aggregated-server.slow.test.ts; aggregator.yaml stands for that of a cluster',
  'npm run package': 'release.slow.test.ts',
  'strata init kind gadgets.shop.example.dev --packages CLONE/dist/release':
    'release.slow.test.ts, with a folder in place of CLONE',
  'cd gadgets': 'the commands that follow it are not run here',
}

/** Exit codes that say something about the fleet. */
const exits: Readonly<Record<string, number>> = {
  // Unsafe: the fleet stores v1, which x+3 does not read.
  'strata check --to x+3': 1,
}

test('documents: their commands work, in their order, on one fleet', async () => {
  await withFleetOnEtcd(async (run) => {
    const all: string[] = []
    await run([prepareLamps])
    for (const page of pages) {
      const text = await readFile(join(root, page), 'utf8')
      const commands = [...readCommands(text), ...readTableCommands(text)]
      assert.ok(commands.length > 0, `${page} has no commands`)
      const earlier = new Set(all)
      all.push(...commands.map(nameOf))
      // A command that several pages have is run once.
      const taken = commands.filter(
        (each) => !Object.hasOwn(elsewhere, nameOf(each)) && !earlier.has(nameOf(each)),
      )
      for (const [index, { code, output }] of (await run(taken)).entries()) {
        const command = taken[index] ?? assert.fail()
        assert.equal(code, exits[nameOf(command)] ?? 0, `${page}:${command.line}: ${command.text}\n${output}`)
      }
    }
    for (const [index, { code, output }] of (await run(badRehearsals)).entries())
      assert.equal(code, 0, `${badRehearsals[index]?.text}\n${output}`)
    for (const name of [...Object.keys(elsewhere), ...Object.keys(exits)])
      assert.ok(all.includes(name), `no page has ${JSON.stringify(name)} any more: remove it from the table`)
  })
})

/** What the pages take for granted: a CRD that is installed, folders with those of two releases, and one with rehearsals. */
const prepareLamps: DocumentCommand = {
  line: 0,
  text: `mkdir -p old new v1.4 config rehearsals && ln -s ../examples/rehearsals/crds rehearsals/crds &&
for place in old v1.4; do mkdir $place/crds && cp examples/lamps/crd-v1.yaml $place/crds; done &&
for place in new config; do mkdir $place/crds && cp examples/lamps/crd-v2.yaml $place/crds; done &&
cp examples/rehearsals/flux2-5598.yaml rehearsals &&
kubectl apply -f examples/lamps/crd-v1.yaml && kubectl wait --for=condition=Established crd/lamps.light.example.dev`,
}

/** The other exit codes that docs/rehearse.md names. */
const badRehearsals: readonly DocumentCommand[] = [
  ['sed /expect/d rehearsals/flux2-5598.yaml > rehearsals/refused.yaml', 0],
  ['strata rehearse rehearsals/refused.yaml --interleavings 0', 1],
  ['strata rehearse rehearsals/none.yaml', 2],
].map(([text, code]) => ({ line: 0, text: `${text}; test $? = ${code}` }))

type Run = (
  commands: readonly DocumentCommand[],
) => Promise<readonly { readonly code: number; readonly output: string }[]>

/** A fleet as `npm start` runs it in a clone, but on etcd and in a directory of its own. */
async function withFleetOnEtcd(body: (run: Run) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'strata-documents-'))
  const dataDir = join(home, '.strata/local')
  const etcd = await startEtcd()
  await prepare(home)
  const up = new StrataProcess('up', [
    ...['up', '--data-dir', dataDir, '--port', '0', '--etcd-servers', etcd.endpoints.join(',')],
    ...['--resources', lighthouseModule, '--release', 'x+1'],
  ])
  const children = new Set<number>()
  try {
    await until('the fleet is up', () => up.stdout.includes('The fleet is up') || !up.running, {
      giveUpMs: patienceMs,
    })
    await body((commands) => runAll(commands, home))
    up.signal('SIGINT')
    assert.equal((await up.ended()).code, 0, up.output)
  } catch (error) {
    process.stderr.write(`--- up said:\n${up.output}\n`)
    throw error
  } finally {
    if (up.running) for (const pid of childrenOf(up.pid)) children.add(pid)
    await up.kill()
    for (const pid of children) if (isRunningWith(pid, dataDir)) process.kill(pid, 'SIGKILL')
    await etcd.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** A directory that looks like the clone. Its programs are those of the tests. */
async function prepare(home: string): Promise<void> {
  await mkdir(join(home, 'bin'))
  await symlink(join(root, 'examples'), join(home, 'examples'))
  const { STRATA_KUBECTL: kubectl } = process.env
  if (kubectl) await symlink(kubectl, join(home, 'bin', 'kubectl'))
  await script(home, 'strata', `exec '${process.execPath}' '${strataCommand}' "$@"`)
  // `npm exec strata -- …` itself is in npm-exec.test.ts; here npm would double the time.
  await script(home, 'npm', 'test "$1 $2 $3" = "exec strata --" || exit 99\nshift 3\nexec strata "$@"')
}

async function script(home: string, name: string, body: string): Promise<void> {
  const path = join(home, 'bin', name)
  await writeFile(path, `#!/bin/sh\n${body}\n`)
  await chmod(path, 0o755)
}

const marker = '@@exit '

/** In one shell, as in one terminal: what is exported stays. Without a terminal to ask; an editor changes nothing. */
async function runAll(commands: readonly DocumentCommand[], home: string): ReturnType<Run> {
  const lines = commands.map(({ text }) => `${text}\nprintf '\\n${marker}%s\\n' $?`)
  const child = spawn('bash', ['-c', ['exec 2>&1', ...lines].join('\n')], {
    cwd: home,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...{ PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, KUBE_EDITOR: 'true' },
      KUBECONFIG: join(home, '.strata/local/admin.kubeconfig'),
    },
  })
  const closed = once(child, 'close')
  // One that waits for ever is named by its missing exit code.
  const cancel = nodeClock.after(patienceMs, () => process.kill(-(child.pid ?? 0), 'SIGKILL'))
  const parts = (await readText(child.stdout)).split(`\n${marker}`)
  await closed
  cancel()
  return commands.map((_, index) => ({
    code: Number.parseInt(parts[index + 1] ?? '', 10),
    output: (parts[index] ?? '').replace(/^\d+\n/, ''),
  }))
}
