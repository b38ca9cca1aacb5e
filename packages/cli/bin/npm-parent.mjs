// Plain JavaScript, because it runs on whatever Node the machine has.
import { readFileSync } from 'node:fs'

const lookEveryMs = 1_000

/**
 * Whether npm runs nothing but us: `npm exec strata -- serve`, `npx strata serve`, a script that is `strata serve`. Its shell
 * waits for us and passes on no signal: whoever ends npm ends the shell, and we would go on with nobody before us. Anything
 * else may have put us into the background on purpose, and ends before us as it should: `strata serve & …`, or another
 * program that npm runs. In doubt we stay.
 * @param {NodeJS.ProcessEnv} environment
 */
export function isRunByNpm({ npm_lifecycle_script: script = '' }) {
  return /^(['"]?)strata\1(?:\s[^;&|<>()`$\n]*)?$/.test(script)
}

/**
 * Calls once npm, or the shell that stands between it and us, has gone. Keeps no process alive.
 * @param {() => void} onGone
 */
export function watchNpm(onGone, look = whoIsBefore, everyMs = lookEveryMs) {
  const first = look()
  const timer = setInterval(() => {
    const now = look()
    // What could not be looked at is in doubt: then we stay.
    const isNpmGone = first.npmId !== undefined && now.npmId !== undefined && now.npmId !== first.npmId
    if (now.parentId === first.parentId && !isNpmGone) return
    clearInterval(timer)
    onGone()
  }, everyMs)
  timer.unref()
}

/** Our parent, and, where that is npm's shell and the system says so (Linux), npm: `kill -9` leaves the shell behind. */
function whoIsBefore() {
  const parentId = process.ppid
  try {
    const isShell = readFileSync(`/proc/${parentId}/cmdline`, 'utf8').split('\0')[1] === '-c'
    if (!isShell) return { parentId, npmId: undefined }
    // "pid (name) state parent …"; a name may have brackets and spaces.
    const [, npmId] = readFileSync(`/proc/${parentId}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { parentId, npmId: Number(npmId) }
  } catch {
    return { parentId, npmId: undefined }
  }
}
