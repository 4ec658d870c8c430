//! What takes effect once enough people have approved it.

use chancery_types::{
    ProposalId,
    wire::{
        Items,
        passkeys::ApprovalStatements,
        proposals::{
            BatchDecideProposals, BatchDecidedProposals, CreatePreApproval, Proposal, ProposalQuery, ProposalStub,
            Proposed,
        },
        signing_requests::{ApproveRequest, DecideRequest},
    },
};

super::operations! {
    OPERATIONS:
    /// The proposals, the newest first.
    GET "/api/v2/x509/proposals" => proposals() [? ProposalQuery] -> Items<ProposalStub>;
    /// A proposal.
    GET "/api/v2/x509/proposals/{id}" => proposal(id: ProposalId) -> Proposal;
    /// What each member of the session signs with a passkey to approve a proposal, where that is demanded.
    GET "/api/v2/x509/proposals/{id}/approval-statement" => proposal_statement(id: ProposalId) -> ApprovalStatements;
    /// Approves a proposal in the name of everybody in the session.
    POST "/api/v2/x509/proposals/{id}/approve" => approve_proposal(id: ProposalId) [< ApproveRequest] -> Proposed;
    /// The same for a certificate.
    POST "/api/v2/x509/requests/{id}/approve" => approve_certificate(id: ProposalId) [< ApproveRequest] -> Proposed;
    /// Denies a proposal.
    POST "/api/v2/x509/proposals/{id}/deny" => deny_proposal(id: ProposalId) [< DecideRequest] -> Proposed;
    /// Takes one's own proposal back.
    POST "/api/v2/x509/proposals/{id}/withdraw" => withdraw_proposal(id: ProposalId) [< DecideRequest] -> Proposed;
    /// Ends a pre-approval.
    POST "/api/v2/x509/proposals/{id}/revoke" => revoke_proposal(id: ProposalId) [< DecideRequest] -> Proposed;
    /// Decides on several proposals.
    POST "/api/v2/x509/proposals/batch-approve-deny"
        => decide_proposals() [< BatchDecideProposals] -> BatchDecidedProposals;
    /// Proposes that certain requests need no further approval.
    POST "/api/v2/x509/pre-approvals" => propose_pre_approval() [< CreatePreApproval] -> Proposed;
}
