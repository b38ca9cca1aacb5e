/** Which rows of a long list are drawn, and how much space stands for those before and after. */
export interface RowWindow {
  readonly from: number
  readonly to: number
  readonly before: number
  readonly after: number
}

/** Rows beyond the edge, so that scrolling shows no gap. */
const spare = 12
/** From and to move in steps: scrolling within one draws nothing. */
const step = 8

export interface ListPlace {
  readonly rows: number
  readonly rowHeight: number
  /** How far the list is scrolled out above the top of the view. */
  readonly offset: number
  readonly height: number
}

export function decideWindow(view: ListPlace): RowWindow {
  const { rows, rowHeight, offset, height } = view
  const first = Math.floor((offset / rowHeight - spare) / step) * step
  const last = Math.ceil(((offset + height) / rowHeight + spare) / step) * step
  const from = Math.min(rows, Math.max(0, first))
  const to = Math.min(rows, Math.max(from, last))
  return { from, to, before: from * rowHeight, after: (rows - to) * rowHeight }
}

/** The rows of which at least a part is in sight. */
export function rowsInSight({ rows, rowHeight, offset, height }: ListPlace): { first: number; end: number } {
  const first = Math.min(rows, Math.max(0, Math.floor(offset / rowHeight)))
  return { first, end: Math.min(rows, Math.max(first, Math.ceil((offset + height) / rowHeight))) }
}
