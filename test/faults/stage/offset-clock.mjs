// Loaded into a server before anything else (`node --import`), in every thread of it: its wall clock is off by what the
// file says, from the moment at which the file says so. The monotonic clock stays true, as on a real machine.
import { readFileSync } from 'node:fs'

const file = process.env.STRATA_FAULTS_CLOCK_FILE ?? ''
const RealDate = Date
let offsetMs = 0

const look = () => {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    // It is being replaced; the next look finds it.
  }
}
look()
setInterval(look, 100).unref()

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offsetMs)
    else super(...args)
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}
