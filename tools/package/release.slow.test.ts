import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { isFullSize } from '../../test/support/full-size.ts'
import { root } from '../repository.ts'
import { componentAt } from './components.ts'
import { readLockFile } from './lock-file.ts'
import { readLicences } from './notices.ts'
import { packForNpm } from './npm-package.ts'
import { hostPlatform } from './platforms.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const home = mkdtempSync(join(tmpdir(), 'strata-release-'))
after(() => rmSync(home, { recursive: true, force: true }))

async function run(file: string, args: readonly string[], cwd = home) {
  const env = { PATH: process.env['PATH'], HOME: home }
  const done = promisify(execFile)(file, args, { cwd, env, maxBuffer: 64 << 20 })
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

test('npm installs the package; it runs, and tells an older Node what to install', async () => {
  const platform = hostPlatform()
  assert.ok(platform, 'this machine has no packaged Node')
  const work = join(home, 'work')
  mkdirSync(work)
  const yaml = componentAt('node_modules/yaml', readLockFile())
  const archive = join(home, 'strata.tgz')
  writeFileSync(archive, await packForNpm(version, work, await readLicences(platform, [yaml])))
  const prefix = join(home, 'prefix')
  const installed = await run('npm', ['install', '--global', '--offline', '--prefix', prefix, archive])
  assert.equal(installed.code, 0, installed.stderr)

  const program = join(prefix, 'bin', 'strata')
  assert.equal((await run(process.execPath, [program, '--version'])).stdout, `${version}\n`)
  const plugin = await run(process.execPath, [join(prefix, 'bin', 'kubectl-strata'), 'status', '--help'])
  assert.match(plugin.stdout, /^Usage: kubectl strata status /)

  const completion = join(prefix, 'bin', 'kubectl_complete-strata')
  const path = [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(':')
  const completed = await run('env', [`PATH=${path}`, completion, 'can-d'])
  assert.equal(completed.stdout, 'can-drop\n:4\n', completed.stderr)

  const pretend = join(home, 'pretend.cjs')
  writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '20.1.0' })`)
  const old = await run(process.execPath, ['--require', pretend, program, '--version'])
  assert.equal(old.code, 1)
  assert.equal(
    old.stderr,
    'strata: Node 20.1.0 is too old: install Node 26 or newer, or install the strata executable instead, which needs no Node.\n',
  )
  assert.match(readFileSync(join(prefix, 'lib/node_modules/strata/NOTICES'), 'utf8'), /^yaml \S+ \(ISC\)$/m)
})

const aWholeRelease = (): void => {
  const out = join(home, 'out')

  test('its checksums and its SBOM are those of what was built', async () => {
    const built = await run(process.execPath, [join(root, 'tools/package/main.ts'), '--out', out])
    assert.equal(built.code, 0, built.stderr)
    const checked = await run('sha256sum', ['--check', 'SHA256SUMS'], out)
    assert.equal(checked.code, 0, checked.stdout)
    const sbom = JSON.parse(readFileSync(join(out, 'sbom.cdx.json'), 'utf8'))
    const names = sbom.components.map(({ name }: { name: string }) => name)
    for (const name of ['commander', 'yaml', '@peculiar/x509', 'libc6']) assert.ok(names.includes(name), name)
  })

  test('a project of strata init kind, away from the clone, gets its packages from there and passes its tests', async () => {
    const init = [join(root, 'packages/cli/bin/strata.mjs'), 'init', 'kind', 'policies.acme.example']
    const made = await run(process.execPath, [...init, '--packages', out])
    assert.equal(made.code, 0, made.stderr)
    const project = join(home, 'policies')
    const installed = await run('npm', ['install', '--no-audit', '--no-fund'], project)
    assert.equal(installed.code, 0, installed.stderr)
    const tested = await run(process.execPath, ['--test'], project)
    assert.equal(tested.code, 0, tested.stdout)
    assert.match(tested.stdout, /pass 3/)
  })

  test('the image has all that its program needs, for a user without rights', async () => {
    const layout = join(home, 'layout')
    const rootfs = join(home, 'rootfs')
    for (const folder of [layout, rootfs]) mkdirSync(folder)
    await run('tar', ['-xf', join(out, `strata-${version}-image.tar`), '-C', layout])
    const read = (digest: string) => JSON.parse(readFileSync(blob(digest), 'utf8'))
    const blob = (digest: string): string => join(layout, 'blobs', digest.replace(':', '/'))
    const index = read(JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests[0].digest)
    for (const { digest } of read(index.manifests[0].digest).layers) {
      const unpacked = await run('tar', ['-xzf', blob(digest), '-C', rootfs])
      assert.equal(unpacked.code, 0, unpacked.stderr)
    }
    const isRoot = process.getuid?.() === 0
    const enter = isRoot
      ? ['chroot', '--userspec=65532:65532', rootfs]
      : ['unshare', '--user', '--map-root-user', 'chroot', rootfs]
    const [file = '', ...args] = [...enter, '/usr/bin/strata', '--version']
    // Its parent must be entered by that user.
    await run('chmod', ['755', home])
    assert.deepEqual(await run(file, args), { code: 0, stdout: `${version}\n`, stderr: '' })
  })
}

// A minute of compressing. Its parts have their own tests, which always run.
if (isFullSize) describe('a whole release', aWholeRelease)
