import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.MessageDigest;
import java.security.Security;
import java.util.Arrays;
import java.util.Base64;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.tsp.TimeStampToken;

/**
 * Validates the time stamp of a CMS with Bouncy Castle. Each line of standard input is base64 of the CMS and of the root
 * certificate; each line of standard output is good with the time, or bad and why.
 */
public class Stamped {
    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split(" ");
            Base64.Decoder base64 = Base64.getDecoder();
            System.out.println(verdict(base64.decode(fields[0]), base64.decode(fields[1])));
        }
    }

    private static String verdict(byte[] cms, byte[] rootDer) throws Exception {
        SignerInformation signer = new CMSSignedData(cms).getSignerInfos().getSigners().iterator().next();
        Attribute attribute = signer.getUnsignedAttributes().get(PKCSObjectIdentifiers.id_aa_signatureTimeStampToken);
        byte[] encoded = attribute.getAttrValues().getObjectAt(0).toASN1Primitive().getEncoded();
        TimeStampToken token = new TimeStampToken(new CMSSignedData(encoded));
        String hash = token.getTimeStampInfo().getMessageImprintAlgOID().getId();
        byte[] digest = MessageDigest.getInstance(hash, "BC").digest(signer.getSignature());
        if (!Arrays.equals(digest, token.getTimeStampInfo().getMessageImprintDigest())) {
            return "bad imprint";
        }
        X509CertificateHolder leaf =
            (X509CertificateHolder) token.getCertificates().getMatches(token.getSID()).iterator().next();
        token.validate(new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(leaf));
        JcaContentVerifierProviderBuilder keys = new JcaContentVerifierProviderBuilder().setProvider("BC");
        if (!leaf.isSignatureValid(keys.build(new X509CertificateHolder(rootDer)))) {
            return "bad chain";
        }
        return "good " + token.getTimeStampInfo().getGenTime().toInstant();
    }
}
