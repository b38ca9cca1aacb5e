import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { auditCommand, lighthouseModule, StrataProcess } from '../support/serve-process.ts'

/** The command line, the error in one line, and the exit code. */
type Mistake = readonly [
  name: string,
  args: (at: (file: string) => string) => string[],
  says: RegExp,
  /** Unless it is that of the others. */
  code?: number,
]

const etcdNowhere = ['--etcd-servers', 'http://127.0.0.1:1']
const taken = createServer()
const takenPort = (): string => String((taken.address() as AddressInfo).port)

const ofServe: readonly Mistake[] = [
  [
    'a port in use',
    () => ['--secure-port', takenPort()],
    /--secure-port \d+: the port is in use by another process/,
    1,
  ],
  ['a port that is none', () => ['--secure-port', '70000'], /--secure-port .*70000.*0 to 65535/],
  [
    'a flag that there is not',
    () => ['--bogus'],
    /^strata: unknown option "--bogus"; --help lists the flags, with examples\n$/,
  ],
  [
    'an address elsewhere',
    () => ['--bind-address', '192.0.2.1'],
    /--bind-address 192\.0\.2\.1: not an address/,
  ],
  ['an unknown release', () => ['--release', 'y'], /--release y: no kind has this release; known: x, /],
  ['kinds that are not there', (at) => ['--resources', at('gone.ts')], /--resources .*gone\.ts: there is no/],
  [
    'a file as data directory',
    (at) => ['--data-dir', at('file')],
    /--data-dir .*: .*file is not a directory/,
  ],
  ['a data directory below /proc', () => ['--data-dir', '/proc/nope'], /--data-dir \/proc\/nope: /],
  [
    'tokens that are not there',
    (at) => ['--token-auth-file', at('no')],
    /--token-auth-file .*no: there is no/,
  ],
  [
    'a gate that there is not',
    () => ['--feature-gates', 'Nope=true'],
    /invalid argument "Nope=true" for "--feature-gates" flag: unrecognized feature gate: Nope/,
  ],
  [
    'a gate without what it needs',
    () => ['--feature-gates', 'APIServerIdentity=false'],
    /--feature-gates" flag: StorageVersionAPI is enabled, but depends on features that are disabled/,
  ],
  [
    'an API that there is not',
    () => ['--runtime-config', 'batch/v1=true'],
    /--runtime-config: unknown api groups batch\/v1/,
  ],
  [
    'a form of agreement that there is not',
    () => ['--storage-version-coordination', 'shout'],
    /--storage-version-coordination .*shout.* allowed choices are report, vote/,
  ],
  [
    'a vote of a server that records nothing',
    () => ['--storage-version-coordination', 'vote', '--feature-gates', 'StorageVersionAPI=false'],
    /--storage-version-coordination vote: needs the feature gate StorageVersionAPI, which --feature-gates has switched off/,
  ],
  [
    'the loose guarantee of a server that records nothing',
    () => ['--storage-version-guarantee', 'loose', '--feature-gates', 'StorageVersionAPI=false'],
    /--storage-version-guarantee loose: needs the feature gate StorageVersionAPI, which --feature-gates has switched off/,
  ],
  [
    'the loose guarantee with a Lease that ends before the view is too old',
    () => [...['--storage-version-guarantee', 'loose', '--identity-lease-duration-seconds', '30']],
    /--storage-version-guarantee loose: needs --identity-lease-duration-seconds of at least 60 \(not 30\)/,
  ],
  ['an etcd that is no address', () => ['--etcd-servers', 'nonsense'], /--etcd-servers .*give http\(s\):/],
  ['an etcd that does not answer', () => etcdNowhere, /--etcd-servers .*is etcd running\?/, 1],
  [
    'two stores',
    () => ['--store', 'sqlite', ...etcdNowhere],
    /--etcd-servers does not go with the sqlite store/,
  ],
]

const ofStatus: readonly Mistake[] = [
  ['no kubeconfig', (at) => ['--kubeconfig', at('gone')], /--kubeconfig .*gone: there is no such file/],
  ['a kubeconfig that is no YAML', (at) => ['--kubeconfig', at('broken')], /broken: not YAML: .*[^:]$/m],
  ['a kubeconfig that is none', (at) => ['--kubeconfig', at('file')], /file: not a kubeconfig/],
  ['a flag that there is not', () => ['--colour'], /unknown option "--colour"/],
  ['a form that there is not', () => ['-o', 'xml'], /xml.*allowed choices/],
  ['a time for nothing', () => ['--timeout', '3s'], /--timeout needs --until-agreed/],
]

const ofVerify: readonly Mistake[] = [
  ['a server that is no address', () => ['--server', 'banana'], /--server .*banana.* https:\/\/host:port/],
  ['no samples', () => ['--samples', '0'], /--samples .*1 or more/],
]

const ofMigrate: readonly Mistake[] = [
  ...ofVerify,
  [
    'what is done here and left to others',
    () => ['--no-wait', '--take-over'],
    /--no-wait and --take-over exclude each other/,
  ],
]

const ofAuditHistory: readonly Mistake[] = [
  ['no store', (at) => ['--data-dir', at('gone')], /--data-dir: there is no store at .*store\.db \(ENOENT\)/],
  ['a store that is none', (at) => ['--data-dir', at('up')], /--data-dir: .*not a database/],
  ['an etcd that does not answer', () => etcdNowhere, /--etcd-servers .*is etcd running\?/],
  ['a revision that is none', () => ['--since-revision', 'x'], /--since-revision .*a whole number/],
]

const ofControllers: readonly Mistake[] = [
  ['a duration without a unit', () => ['--poll-period', '10'], /--poll-period .*give a duration/],
  ['a controller that there is not', () => ['--controllers', 'nope'], /--controllers: .*nope/],
  ['certificates that are not there', (at) => ['--root-ca-file', at('gone')], /gone: there is no such file/],
  ['a kubeconfig that is not there', (at) => ['--kubeconfig', at('gone')], /kubeconfig .*gone/],
  [
    'init, and no server answers',
    (at) => ['init', '--kubeconfig', at('dead')],
    /the cluster could not be asked: .*is the server running\?/,
    5,
  ],
]

const ofNothing: readonly Mistake[] = [
  [
    'a command that there is not',
    () => ['lamps'],
    /^strata: unknown command "migrat" \(did you mean "migrate"\?\); --help lists the commands\n$/,
  ],
]

const ofUp: readonly Mistake[] = [
  [
    'a given port in use',
    (at) => ['--data-dir', at('other'), '--port', takenPort()],
    /^strata: --port \d+: the port is in use by another process; stop it, give another port, or leave out --port/,
  ],
  ['no servers', () => ['--servers', '0'], /--servers .*1 or more/],
  ['a number that is none', () => ['--servers', 'abc'], /--servers .*1 or more/],
  ['an unknown release', () => ['--release', 'y'], /^strata: --release y: no kind has this release/],
  ['every API switched off', () => ['--runtime-config', 'api/all=false'], /with only api\/all=false/],
  [
    'a file that is not there, which a server finds once, and is not started again',
    (at) => ['--data-dir', at('other'), '--encryption-provider-config', at('gone')],
    /^strata: strata-1 does not start: --encryption-provider-config .*gone: there is no such file \(log: .*\)\n$/,
  ],
  [
    'a damaged store, which a server finds once, and is not started again',
    () => [],
    /^strata: strata-1 does not start: --data-dir: cannot use .*store\.db as a store: .*damaged.* \(log: .*server-1\.log\)/m,
  ],
  [
    'what may pass, and is found by a server, stops the fleet after three tries',
    (at) => ['--data-dir', at('shut')],
    /^strata: strata-1 does not start: --data-dir: .*store\.db.* \(log: .*server-1\.log\)/m,
    1,
  ],
]

describe('a mistake is reported in one line that names it, without a stack', { concurrency: 3 }, () => {
  let home = ''
  const at = (name: string): string => join(home, name)
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-mistakes-'))
    await writeFile(at('file'), 'hello')
    await writeFile(at('broken'), 'a: [')
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } }
    const contexts = [{ name: 'c', context: { cluster: 'c', user: 'c' } }]
    const users = [{ name: 'c', user: { token: 'x' } }]
    const dead = { clusters: [cluster], contexts, users, 'current-context': 'c' }
    await writeFile(at('dead'), JSON.stringify(dead))
    await mkdir(at('up/store'), { recursive: true })
    await writeFile(at('up/store/store.db'), 'this is no store '.repeat(100))
    await mkdir(at('shut/store/store.db'), { recursive: true })
    taken.listen(0, '127.0.0.1')
    await once(taken, 'listening')
  })
  after(async () => {
    taken.close()
    await rm(home, { recursive: true, force: true })
  })

  const check = (
    command: string,
    usual: () => string[],
    mistakes: readonly Mistake[],
    code: number,
    program?: string,
  ): void => {
    for (const [name, args, says, ownCode] of mistakes) {
      test(`${command}: ${name}`, async () => {
        // If a flag is given twice, the last one counts.
        const given = [...(program === undefined ? [command] : []), ...usual(), ...args(at)]
        const strata = new StrataProcess(name, given, program)
        assert.equal((await strata.ended()).code, ownCode ?? code, strata.output)
        assert.match(strata.output, says)
        assert.doesNotMatch(strata.output, /^ {4}at /m)
      })
    }
  }
  const kinds = ['--resources', lighthouseModule]
  check('serve', () => ['--data-dir', at('data'), '--secure-port', '0', ...kinds], ofServe, 2)
  check('up', () => ['--data-dir', at('up'), '--port', '0', '--servers', '1', ...kinds], ofUp, 2)
  // Not 1, which would say that the servers disagree.
  check('status', () => [], ofStatus, 2)
  check('verify', () => ['lamps', '--kubeconfig', at('dead')], ofVerify, 2)
  check('migrate', () => ['lamps', '--kubeconfig', at('dead')], ofMigrate, 2)
  check('audit-history', () => [], ofAuditHistory, 2, auditCommand)
  check('controllers', () => [], ofControllers, 2)
  check('migrat', () => [], ofNothing, 2)

  for (const command of ['migrate', 'serve']) {
    test(`${command} --help names no default of flags that are simply not given`, async () => {
      const strata = new StrataProcess('help', [command, '--help'])
      assert.equal((await strata.ended()).code, 0)
      assert.match(strata.stdout, /\(default: \d+\)/)
      assert.doesNotMatch(strata.stdout, /\(default:\s+(?:false|\[\])\)$/m)
    })
  }
})
