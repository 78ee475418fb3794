/** The purchase requests of the demonstration. Their keys make each start happen once, however often it is made. */

/** A purchase request, and whether the demonstration approves it by itself. */
export interface DemoRequest {
  /** Its business key: a second start with the same key finds the first case. */
  readonly businessKey: string;
  readonly input: {
    readonly item: string;
    readonly vendor: string;
    readonly amount: number;
    readonly requester: string;
  };
  /** False = it waits for whoever watches. */
  readonly isApproved: boolean;
}

export const demoRequests: readonly DemoRequest[] = [
  request("PR-1001", "3 monitors", "Nordlicht", 1_140, true),
  request("PR-1002", "a label printer", "Okapi Office", 389, true),
  request("PR-1003", "12 desk lamps", "Lumen & Co", 708, true),
  request("PR-1004", "a forklift", "Bergmann", 18_900, false),
  request("PR-1005", "200 pallets", "Holzwerk Süd", 2_600, false),
];

function request(
  businessKey: string,
  item: string,
  vendor: string,
  amount: number,
  isApproved: boolean,
): DemoRequest {
  return { businessKey, input: { item, vendor, amount, requester: "kim@example.test" }, isApproved };
}
