import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const home = mkdtempSync(join(tmpdir(), 'strata-shells-'))
after(() => rmSync(home, { recursive: true, force: true }))
const command = join(home, 'strata')
const main = join(import.meta.dirname, '../main.ts')
writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
chmodSync(command, 0o755)
writeFileSync(join(home, 'config'), JSON.stringify({ contexts: [{ name: 'prod', context: {} }] }))

const env = {
  ...process.env,
  HOME: home,
  PATH: `${home}:${process.env['PATH']}`,
  KUBECONFIG: join(home, 'config'),
}

/** What the shell completes at the end of these words. zsh completes only at a prompt, so its builtins are stood in for. */
const scripts: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => [
    '-c',
    `eval "$(strata completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strata; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ...['bash', 'strata', ...words],
  ],
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
      execFileSync(shell, argsOf(words), { env, encoding: 'utf8' }).trim().split('\n')
    assert.deepEqual(complete('ver'), ['verify'])
    assert.deepEqual(complete('verify', '--context', ''), ['prod'])
    assert.deepEqual(complete('verify', '-o', 'j').toSorted(), ['json', 'junit'])
  })
}
