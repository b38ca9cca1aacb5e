/** Aborted when the process is asked to stop, so that whatever it started can be ended first. */
export function listenForInterruption(): AbortSignal {
  const controller = new AbortController()
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(name, () => {
      process.exitCode = code
      controller.abort()
    })
  }
  return controller.signal
}
