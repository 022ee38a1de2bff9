/** What a machine that is short of processes, memory or open files says: a moment later it may be over. */

export const isShortage = (code: string): boolean => /^(EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test(code)

/** How long to wait before the one other try. */
export const againMs = 200
