/** Small pictures beside words, as paths in a square of 16: a colour alone says nothing to many people. */

export type IconName = keyof typeof iconPaths

export const iconPaths = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  dot: 'M8 5.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z',
  ring: 'M8 2.75a5.25 5.25 0 100 10.5 5.25 5.25 0 000-10.5z',
  question: 'M5.75 6a2.25 2.25 0 114 1.4C9 8.2 8 8.5 8 9.75M8 12.4v.1',
  alert: 'M8 4v5M8 11.9v.1',
  pause: 'M5.5 4v8M10.5 4v8',
  play: 'M5 3.5v9l7.5-4.5z',
  stop: 'M4.5 4.5h7v7h-7z',
  skip: 'M4 8h8M9 5l3 3-3 3',
  clock: 'M8 4.5V8l2.5 1.5M8 2.25a5.75 5.75 0 100 11.5 5.75 5.75 0 000-11.5z',
  search: 'M7 2.75a4.25 4.25 0 100 8.5 4.25 4.25 0 000-8.5zM10.2 10.2L13.5 13.5',
  bell: 'M4.25 11h7.5c-.8-1-.75-2-.75-4a3 3 0 00-6 0c0 2 0 3-.75 4zM7 13.25h2',
  chevron: 'M6 4l4 4-4 4',
  chat: 'M3 3.75h10v7H7.5L4.75 13v-2.25H3z',
  retry: 'M12.5 8a4.5 4.5 0 11-1.4-3.25M12.5 2.75V5h-2.25',
} as const
