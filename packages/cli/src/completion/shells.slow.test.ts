import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const home = mkdtempSync(join(tmpdir(), 'strata-shells-'))
after(() => rmSync(home, { recursive: true, force: true }))
const command = join(home, 'strata')
const main = join(import.meta.dirname, '../main.ts')
writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
chmodSync(command, 0o755)
const completer = 'kubectl_complete-strata'
const contexts = ['prod', 'arn:aws:eks:one', 'arn:aws:eks:two', '*.test', 'two words']
const config = {
  'current-context': 'prod',
  contexts: contexts.map((name) => ({ name, context: { cluster: 'c', user: 'u' } })),
  // Nothing listens there.
  clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
}
writeFileSync(join(home, 'config'), JSON.stringify(config))
for (const name of ['a.test', 'b.test']) writeFileSync(join(home, name), '')

const env = {
  ...process.env,
  HOME: home,
  PATH: `${home}:${process.env['PATH']}`,
  KUBECONFIG: join(home, 'config'),
}

/** Bash makes words of ":" and "=", and of what is on either side. */
const brokenByBash = (words: readonly string[]): readonly string[] =>
  words.flatMap((word) => (word === '' ? [''] : word.split(/([:=])/).filter((part) => part !== '')))

/** What the shell completes at the end of these words. zsh completes only at a prompt, so its builtins are stood in for. */
const scripts: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => {
    const line = ['strata', ...words].join(' ')
    const set = `COMP_LINE=$1; COMP_POINT=\${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))`
    return [
      '-c',
      `eval "$(strata completion bash)"; ${set}; _strata; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ...['bash', line, ...brokenByBash(['strata', ...words])],
    ]
  },
  zsh: (words) => [
    '-fc',
    `compdef() { }; compadd() { print -rl -- "$found[@]" }; eval "$(strata completion zsh)"; words=("$@"); CURRENT=$#; _strata`,
    ...['zsh', 'strata', ...words],
  ],
  fish: (words) => ['-c', `strata completion fish | source; complete -C "strata ${words.join(' ')}"`],
}

for (const [shell, argsOf] of Object.entries(scripts)) {
  test(`completion in ${shell}`, (t) => {
    if (spawnSync(shell, ['--version']).error) {
      t.diagnostic(`${shell} is not installed: apt-get install ${shell}`)
      return
    }
    const complete = (...words: readonly string[]): readonly string[] =>
      execFileSync(shell, argsOf(words), { env, cwd: home, encoding: 'utf8' }).trim().split('\n')
    assert.deepEqual(complete('ver'), ['verify'])
    assert.deepEqual(complete('verify', '--context', 'p'), ['prod'])
    assert.deepEqual(complete('verify', 'la'), [''], 'the cluster does not answer')
    assert.deepEqual(complete('verify', '-o', 'j').toSorted(), ['json', 'junit'])
  })
}

test('completion in bash: colons, equals signs, and names that the shell would expand', () => {
  const complete = (...words: readonly string[]): readonly string[] => {
    const args = scripts['bash']?.(words) ?? []
    return execFileSync('bash', args, { env, cwd: home, encoding: 'utf8' }).trim().split('\n')
  }
  assert.deepEqual(complete('verify', '--context', 'arn:'), ['aws:eks:one', 'aws:eks:two'])
  assert.deepEqual(complete('verify', '--context=pr'), ['prod'])
  assert.deepEqual(complete('verify', '--context', '*'), ['\\*.test'])
  assert.deepEqual(complete('verify', '--context', 'tw'), ['two\\ words'])
})

test('kubectl finds the plugin on the PATH, and asks the file beside it what may follow', (t) => {
  const folder = join(home, 'plugin')
  mkdirSync(folder)
  // The command is named for the script that Node is given.
  const script = join(folder, 'kubectl-strata.mjs')
  writeFileSync(script, `await import(${JSON.stringify(main)})`)
  const start = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`
  writeFileSync(join(folder, 'kubectl-strata'), start, { mode: 0o755 })
  copyFileSync(join(import.meta.dirname, '../../bin', completer), join(folder, completer))
  const program = process.env['STRATA_KUBECTL'] ?? 'kubectl'
  const run = (file: string, ...args: readonly string[]): string =>
    execFileSync(file, args, { env: { ...env, PATH: `${folder}:${env.PATH}` }, encoding: 'utf8' })
  assert.match(run(program, 'strata', '--help'), /^Usage: kubectl strata /)

  const [, minor = ''] = /"minor": "(\d+)/.exec(run(program, 'version', '--client', '-o', 'json')) ?? []
  const isAsked = Number(minor) >= 26
  t.diagnostic(`kubectl 1.${minor} ${isAsked ? 'completes plugins' : 'does not complete plugins'}`)
  const complete = (...words: readonly string[]): readonly string[] =>
    (isAsked ? run(program, '__complete', 'strata', ...words) : run(join(folder, completer), ...words))
      .trim()
      .split('\n')
  assert.deepEqual(complete('can-d'), ['can-drop', ':4'])
  assert.ok(complete('').includes('migrate'))
  assert.deepEqual(complete('status', '--context', 'pr'), ['prod', ':4'])
})
